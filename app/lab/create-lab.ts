import type { TestCouch } from '../../sync-server/testing/couch/start-couch.ts'
import { expectConverged } from './checks/expect-converged.ts'
import { type Patience, waitUntilSettled } from './checks/wait-until-settled.ts'
import { chooseNativeBroadcast } from './choose-native-broadcast.ts'
import { createLabChannel, type LabChannel } from './device/lab-channel.ts'
import { createLabPerson, type LabPerson } from './device/lab-person.ts'
import { createWitness } from './device/witness.ts'
import { createRandom } from './random.ts'
import { runHistory } from './run-history.ts'
import { type LabServer, startLabServer } from './server/start-lab-server.ts'

export interface LabOptions {
  /** Every random choice of the lab and of the devices follows from it. */
  seed?: number
  /** Settings of the server, as environment variables. */
  settings?: Record<string, string>
  /** False: the server writes the copies of a message one after the other, as with a CouchDB. */
  isAtomic?: boolean
  /** Where the server keeps everything, in place of LevelDB; whoever started it ends it. */
  couch?: TestCouch
  /** After how long the server closes a database that nobody uses. */
  idleCloseMs?: number
  /** With a business channel, whose number the first person is to work: `channel.open`. */
  hasChannel?: boolean
  /** Up to how many online the server tells everybody of everybody. */
  usersOnlineMax?: number
}

/**
 * People with devices, faults in their networks, and the real server: a place to try what synchronisation
 * does when things go wrong. Everything on the path is the real part: the client core on fake-indexeddb,
 * HTTP and WebSocket over loopback, Express, LevelDB in a temporary folder.
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
  readonly channel: LabChannel | undefined
  /** Registers somebody new. */
  person(name: string): Promise<LabPerson>
  /**
   * Waits until nothing is under way on any device that has a network.
   *
   * @throws what is, when nothing of it has moved for `stillMs`, or it has not ended after `withinMs`.
   */
  settle(options?: Partial<Patience>): Promise<void>
  /** Nothing lost, nothing twice, the same order and words everywhere, no receipt taken back. @throws otherwise */
  expectConverged(): Promise<void>
  /** Draws a history from a seed and lets it happen in a lab of its own. @throws HistoryFailed, shrunk */
  run(history: { seed: number; steps: number }): Promise<void>
  close(): Promise<void>
}

export async function createLab(options: LabOptions = {}): Promise<Lab> {
  chooseNativeBroadcast()
  const random = createRandom(options.seed ?? 1)
  const channel = options.hasChannel ? await createLabChannel(options.seed ?? 1) : undefined
  const settings = { ...channel?.settings, ...options.settings }
  const started = await startLabServer({ ...options, settings, channelClock: channel?.clock })
  const witness = createWitness()
  const people: LabPerson[] = []
  const background: unknown[] = []
  /** How long it was away, with a CouchDB and on a busy machine, is not what is tried. */
  function hurryAll() {
    for (const { network } of people.flatMap(({ devices }) => devices)) network.hurry()
  }
  const server: LabServer = {
    ...started,
    async takeBackup() {
      await started.takeBackup()
      hurryAll()
    },
    async putBackBackup(told) {
      witness.recordForgotten()
      await started.putBackBackup(told)
      hurryAll()
    },
  }
  return {
    server,
    people,
    channel,
    async person(name) {
      const person = await createLabPerson({
        name,
        random,
        witness,
        serverUrl: () => server.url,
        dataDir: server.dataDir,
        onError: (cause) => background.push(cause),
      })
      people.push(person)
      return person
    },
    settle: (patience) =>
      waitUntilSettled(people, {
        ...patience,
        findMore: async () => (await channel?.findUnsettled(server.url)) ?? [],
      }),
    async expectConverged() {
      const alsoBroken = (await channel?.findBroken(people)) ?? []
      await expectConverged({ people, witness, hasBackup: server.hasBackup(), alsoBroken })
      if (background.length > 0) throw new Error('Something failed unseen.', { cause: background })
    },
    run: (history) =>
      runHistory({
        ...history,
        createLab: (own) => createLab({ ...options, ...own }),
      }),
    async close() {
      await Promise.all(people.flatMap(({ devices }) => devices.map((device) => device.close())))
      await server.close()
      await channel?.close()
    },
  }
}
