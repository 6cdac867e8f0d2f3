/** Tests src/io/postgres: what every journal does, on that in PostgreSQL. */
import { postgresContract } from "./contract.ts";
import { usePostgres } from "./fixture.ts";

const server = usePostgres();

postgresContract(async () => await server().makeDatabase());
