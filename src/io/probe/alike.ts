import type { Field } from "./target.ts";

/**
 * Names that mean the same in other deployments. Only these are suggested for each other, because alike values prove
 * nothing. Written without case, `_` and `-`; the likeliest first.
 */
const words = (text: string): readonly string[] => text.split(" ");
const PAIR = words("assetpair pair symbol market pairname ticker instrument tradingpair pairid");
const BASE = words("a base basereserve reservebase reservea reserve0 amounta baseamount baseqty x");
const QUOTE = words(
  "p quote quotereserve reservequote reserveb reserve1 amountb quoteamount quoteqty y",
);

const SAME: Readonly<Record<string, readonly string[]>> = {
  id: words("id orderid uid orderhash hash orderno ordernumber"),
  status: words("status state orderstatus swapstatus orderstate swapstate"),
  sender: words(
    "sender owner address user senderaddress owneraddress useraddress from account wallet initiator",
  ),
  exchange: words("exchange exchangename venue exchangeid exchangecode venuename name code id"),
  // Not its `id`: an order has one of its own.
  assetPair: [...PAIR, "name", "code"],
  pairName: [...PAIR, "name", "code", "id"],
  pair: ["pair", ...PAIR, "name", "pool", "poolname"],
  name: ["name", ...PAIR, "id", "code"],
  factory: words("factory factoryname dex amm protocol poolfactory factoryid"),
  a: BASE,
  p: QUOTE,
  indicativePrice: words("indicativeprice price midprice spotprice indicative rate"),
  creationTime: words(
    "creationtime created createdat creation creationdate createtime createdtime creationtimestamp " +
      "createdtimestamp timestamp time date datetime opened openedat starttime",
  ),
  updateTime: words(
    "updatetime updated updatedat lastupdate lastupdated lastupdatedat lastupdatetime updatedtime " +
      "updatetimestamp modified modifiedat changed changedat",
  ),
  expiration: words(
    "expiration expires expiresat expiry expirationtime expirationdate expireat expiretime expirytime " +
      "expirytimestamp expirationtimestamp deadline lockuntil timelock validuntil validto",
  ),
  used: words("used isused lockused"),
  sourceNetworkCode: words(
    "sourcenetworkcode sourcenetwork networkcode network sourcechain sourcechaincode chain chaincode " +
      "fromnetwork fromchain source",
  ),
  secretHash: words("secrethash hashlock hashedsecret lockhash secretdigest hash id swapid"),
  asset: words("asset currency token coin ticker assetname assetcode tokensymbol symbol"),
  amount: words("amount balance quantity qty size value available volume"),
  remainingAmount: words(
    "remainingamount remaining amountremaining amountleft leftamount left remainingqty " +
      "remainingquantity remainingsize qtyremaining unfilled unfilledamount openamount leavesqty",
  ),
  price: words("price lastprice last currentprice limitprice rate"),
  volume: words("volume vol volume24h vol24h basevolume dayvolume"),
  side: words("side orderside direction"),
  minQty: words("minqty minquantity minamount minsize qtymin quantitymin minorderqty minordersize"),
  maxQty: words("maxqty maxquantity maxamount maxsize qtymax quantitymax maxorderqty maxordersize"),
  minPrice: words("minprice pricemin"),
  maxPrice: words("maxprice pricemax"),
  pricePrecision: words("priceprecision pricedecimals pricedigits pricescale"),
  qtyPrecision: words(
    "qtyprecision quantityprecision amountprecision qtydecimals quantitydecimals amountdecimals " +
      "qtydigits baseprecision",
  ),
  broker: words("broker brokeraddress address brokerid brokername owner name id"),
  estimation: words(
    "estimation estimate estimated estimatedamount amountout out expected result quote",
  ),
  exchanges: words("exchanges disabledexchanges exchangesdisabled venues exchangelist"),
  pairs: words(
    "pairs disabledpairs pairsdisabled assetpairs disabledassetpairs symbols markets pairlist",
  ),
};

/** The objects inside an entry, and their other names. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  lockOrder: words("lockorder lock lockedorder sourceorder source"),
  redeemOrder: words("redeemorder redeem redemption destinationorder destination target"),
  order: words("order data result item"),
};

export const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The one of `names` that most likely means the same as `wanted`; undefined if none does. */
export function alikeName(wanted: string, names: readonly string[]): string | undefined {
  const same = SAME[wanted] ?? [bare(wanted)];
  return same.flatMap((word) => names.find((name) => bare(name) === word) ?? []).at(0);
}

/** The distance of a field in a container that is not its own, and of one in none. */
const ELSEWHERE = 30;
const IN_THE_OPEN = 10;
/** The field's name begins with its container's: `redeemAmount`. */
const OF_ITS_OWN = 0.5;
/** An object of this name describes one token of a pair, not what holds it. */
const TOKEN =
  /^(?:(?:token|asset|coin|currency)[01ab]|(?:base|quote)(?:token|asset|coin|currency)?)$/;
/** With the container's name before them, they mean the container: `orderId` is no pair of an order. */
const OF_ANYTHING = words("name code id");

/** How far a field of an entry is from one of the default shape; undefined if they are unrelated. */
export function distance(
  { path, inRequired }: Field,
  source: readonly string[],
): number | undefined {
  const wanted = path.at(-1) ?? "";
  const name = bare(source.at(-1) ?? "");
  const same = SAME[wanted] ?? [bare(wanted)];
  const rank = same.indexOf(name);
  const container = path.length > 1 ? path[0] : undefined;
  const holder = source.length > 1 ? bare(source.at(-2) ?? "") : undefined;
  if (container === undefined) {
    if (rank === -1) return undefined;
    // The container of another field holds that field's values.
    if (holder === undefined) return rank;
    return isContainer(holder) || TOKEN.test(holder) ? undefined : ELSEWHERE + rank;
  }
  const holders = CONTAINERS[container] ?? [bare(container)];
  if (holder !== undefined) {
    if (rank === -1 || !holders.includes(holder)) return undefined;
    return rank + holders.indexOf(holder);
  }
  const own = same.filter((word) => word === bare(wanted) || !OF_ANYTHING.includes(word));
  const joined = holders.findIndex((one) => own.some((word) => name === `${one}${word}`));
  if (joined !== -1) return joined + OF_ITS_OWN;
  return inRequired && rank !== -1 ? IN_THE_OPEN + rank : undefined;
}

function isContainer(holder: string): boolean {
  return Object.entries(CONTAINERS).some(
    ([container, names]) => container !== "order" && names.includes(holder),
  );
}
