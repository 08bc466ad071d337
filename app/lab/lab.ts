import type { AppOverrides } from '../../sync-server/app-overrides.ts'
import type { TestCouch } from '../../sync-server/testing/couch/start-couch.ts'
import type { Patience } from './checks/wait-until-settled.ts'
import type { LabChannel } from './device/lab-channel.ts'
import type { LabPerson } from './device/lab-person.ts'
import type { Witness } from './device/witness.ts'
import type { TraceRecorder } from './kit/trace.ts'
import type { LabServer } from './server/start-lab-server.ts'

export interface LabOptions {
  /** The seed of every random choice in the lab and its devices. */
  seed?: number
  /** Server settings, as environment variables. */
  settings?: Record<string, string>
  /** False: the server writes a message's copies one after the other, as with a CouchDB. */
  isAtomic?: boolean
  /** The server's storage, in place of LevelDB; the caller closes it. */
  couch?: TestCouch
  /** After how long the server closes an unused database. */
  idleCloseMs?: number
  /** What else of the server a test replaces, such as its log. */
  overrides?: Pick<AppOverrides, 'log' | 'isLoopbackPushAllowed'>
  /** With a business channel; `channel.open` gives its number to the first person. */
  hasChannel?: boolean
  /** Fills the server's empty folder before its first start, with people of these names. */
  earlier?: { fill: (dataDir: string) => Promise<void>; people: readonly string[] }
  /** Records what passes every device's network. */
  trace?: TraceRecorder | undefined
  /** Up to how many online people the server sends everyone's presence to everyone. */
  usersOnlineMax?: number
}

/**
 * People with devices, network faults, and the real server: tests how sync handles failures. Every
 * part is real: the client core on fake-indexeddb, HTTP and WebSocket over loopback, Express,
 * LevelDB in a temporary folder.
 *
 * ```ts
 * const lab = await createLab({ seed: 7 })
 * const ann = await lab.person('ann'), ben = await lab.person('ben')
 * const phone = await ann.device(), laptop = await ann.device()
 * phone.network.goOffline()
 * await phone.say(ben, 'hello')
 * await phone.reload()
 * phone.network.goOnline()
 * await lab.settle()
 * await lab.expectConverged()
 * await lab.close()
 * ```
 */
export interface Lab {
  readonly server: LabServer
  readonly people: readonly LabPerson[]
  readonly witness: Witness
  readonly channel: LabChannel | undefined
  /**
   * Registers a new person, or signs in one that the prepared server has.
   * @param options.hasKeys their devices seal what they write, to others who have keys too
   */
  person(name: string, options?: { hasKeys?: boolean }): Promise<LabPerson>
  /**
   * Waits until nothing is under way on any device that has a network.
   *
   * @throws the pending work, when none of it has moved for `stillMs`, or it has not ended after
   * `withinMs`
   */
  settle(options?: Partial<Patience>): Promise<void>
  /**
   * Nothing lost, nothing twice, equal order and words everywhere, no receipt taken back.
   * @throws otherwise
   */
  expectConverged(): Promise<void>
  /** Draws a history from a seed and runs it in its own lab. @throws HistoryFailed, shrunk */
  run(history: { seed: number; steps: number }): Promise<void>
  close(): Promise<void>
}
