export type PushFloor = ReturnType<typeof createPushFloor>

/**
 * The time of the oldest write that is owed, for the next look of RxDB at what is to be pushed: there it begins, whatever
 * its checkpoint says. The checkpoint itself can't be put back: whatever is pushed or pulled meanwhile moves it on.
 */
export function createPushFloor() {
  let floor: number | undefined
  return {
    set(lwt: number) {
      floor = Math.min(floor ?? lwt, lwt)
    },
    /** RxDB looks from there on now; undefined where its checkpoint counts. */
    take(): number | undefined {
      const taken = floor
      floor = undefined
      return taken
    },
    isTaken: () => floor === undefined,
  }
}
