import { lockOf } from '../../../schema/encryption/sealed-part.ts'
import { isAnyLocked } from '../../encryption/sealed-message.ts'
import type { LabDevice, LabTab } from '../device/lab-device-types.ts'
import type { LabPerson } from '../device/lab-person.ts'
import { findUnsettled } from './find-unsettled.ts'

const lookAgainMs = 50
const troubledMs = 3_000
/** A look reads everything that everybody has: the work that it waits for gets most of the time. */
const pauseForEachLook = 2
/** As many of a device's last events as may say why it stands. */
const eventsTold = 60

export interface Patience {
  /** Shorter than a long poll: its end must not mask a lost signal. */
  stillMs: number
  withinMs: number
  /**
   * Everybody has their keys, and nothing hinders anything more: what is locked opens, and people
   * look at a device that tells of trouble and has not moved for a moment, as its words ask for.
   * After the last of many failures it would wait longer than this.
   */
  areFaultsOver: boolean
  /** Other pending work, in words. */
  findMore: () => Promise<string[]>
}

/**
 * Waits until nothing is under way anywhere. Two checks in a row must find nothing: imminent work
 * appears in between.
 *
 * @throws with the pending work, and what each device that has some did last, when it has not moved
 * for `stillMs`, or has not ended after `withinMs`
 */
export async function waitUntilSettled(
  people: readonly LabPerson[],
  options: Partial<Patience> = {},
): Promise<void> {
  const { stillMs = 20_000, withinMs = 100_000, areFaultsOver = false, findMore } = options
  const devices = () => people.flatMap((person) => person.devices).filter(({ isOpen }) => isOpen)
  const begunAt = performance.now()
  let [movedAt, lookedInAt, before, quietLooks] = [begunAt, begunAt, '', 0]
  for (;;) {
    const lookedAt = performance.now()
    const more = (await findMore?.()) ?? []
    if (areFaultsOver) for (const device of devices()) more.push(...(await findLocked(device)))
    const unsettled = [...(await findUnsettled(people)), ...more].join('\n')
    quietLooks = unsettled === '' ? quietLooks + 1 : 0
    if (quietLooks === 2) return
    const now = performance.now()
    if (unsettled !== before) movedAt = now
    before = unsettled
    if (areFaultsOver && now - Math.max(movedAt, lookedInAt) > troubledMs) {
      lookedInAt = now
      for (const device of devices()) if (device.tabs.some(tellsOfTrouble)) device.network.hurry()
    }
    const isLate = now - movedAt > stillMs || now - begunAt > withinMs
    // A look may take long: the second one decides whether nothing is under way.
    if (isLate && unsettled !== '') {
      const words = `Not settled after ${Math.round(now - begunAt)} ms:\n${unsettled}`
      throw new Error(
        [words, ...devices().flatMap((device) => tellLast(device, unsettled))].join('\n'),
      )
    }
    const pauseMs = Math.max(lookAgainMs, pauseForEachLook * (now - lookedAt))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

const tellsOfTrouble = ({ messenger }: LabTab) =>
  messenger.connection.getSnapshot().words !== undefined

/** The same steps seldom stand a second time, so a failure has to explain itself. */
function tellLast({ name, tabs }: LabDevice, unsettled: string): string[] {
  const isConcerned = unsettled.split('\n').some((line) => line.startsWith(`${name} `))
  if (!isConcerned) return []
  return tabs.flatMap(({ messenger }, index) => {
    const { events } = messenger.readTrace()
    // One comes at every ping.
    const telling = events.filter((event) => !('what' in event) || event.what !== 'here')
    const lines = telling.slice(-eventsTold).map((event) => `  ${JSON.stringify(event)}`)
    const { state } = messenger.connection.getSnapshot()
    return [`${name}, tab ${index + 1}, is ${state}, and did last:`, ...lines]
  })
}

async function findLocked(device: LabDevice): Promise<string[]> {
  const { messages } = await device.stored()
  const locked = [...messages.values()].filter(isAnyLocked)
  // What only a newer app reads stays locked.
  const awaited = locked.filter((message) => lockOf(message) !== 'newer')
  return awaited.map(({ _id }) => `${device.name} cannot read ${_id}`)
}
