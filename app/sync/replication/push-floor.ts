export type PushFloor = ReturnType<typeof createPushFloor>

/**
 * The time of the oldest owed write, where RxDB's next push scan starts, whatever its checkpoint
 * says. The checkpoint itself can't move back: every push or pull meanwhile moves it forward.
 */
export function createPushFloor() {
  let floor: number | undefined
  return {
    set(lwt: number) {
      floor = Math.min(floor ?? lwt, lwt)
    },
    /** RxDB scans from there now; undefined when its checkpoint counts. */
    take(): number | undefined {
      const taken = floor
      floor = undefined
      return taken
    },
    isTaken: () => floor === undefined,
  }
}
