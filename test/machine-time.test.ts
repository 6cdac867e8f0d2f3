import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { afterMachineTime, shareGiven } from "./machine-time.ts";

describe("the limit of a wait", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
  );
  afterEach(() => void vi.useRealTimers());

  it("ends by the clock, if the host takes nothing", () => {
    const onEnd = vi.fn<() => void>();
    afterMachineTime(15_000, onEnd, () => undefined);
    vi.advanceTimersByTime(14_999);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it("is four times as long, if the host takes three quarters", () => {
    const onEnd = vi.fn<() => void>();
    let seconds = 0;
    afterMachineTime(15_000, onEnd, () => ({ busy: 25 * seconds, stolen: 75 * seconds++ }));
    vi.advanceTimersByTime(59_000);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it("is as much longer as there are more tasks than cores", () => {
    const onEnd = vi.fn<() => void>();
    afterMachineTime(15_000, onEnd, () => ({ busy: 0, stolen: 0, tasksPerCore: 3 }));
    vi.advanceTimersByTime(44_000);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it("ends all the same, if the host takes all", () => {
    const onEnd = vi.fn<() => void>();
    let stolen = 0;
    afterMachineTime(15_000, onEnd, () => ({ busy: 0, stolen: stolen++ }));
    vi.advanceTimersByTime(151_000);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it("does not end what was cancelled", () => {
    const onEnd = vi.fn<() => void>();
    const cancel = afterMachineTime(15_000, onEnd, () => undefined);
    vi.advanceTimersByTime(10_000);
    cancel();
    vi.advanceTimersByTime(60_000);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it("knows no share that was taken, if there is nothing to tell it by", () => {
    expect(shareGiven(undefined, undefined)).toBe(1);
    expect(shareGiven({ busy: 1, stolen: 0 }, { busy: 1, stolen: 0 })).toBe(1);
  });
});
