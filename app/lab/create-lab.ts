import { enforceOptions } from 'broadcast-channel'
import { wordsOf } from '../../schema/helpers/text.ts'
import { expectConverged } from './checks/expect-converged.ts'
import { waitUntilSettled } from './checks/wait-until-settled.ts'
import { createLabChannel } from './device/lab-channel.ts'
import { createLabPerson, type LabPerson } from './device/lab-person.ts'
import { createWitness } from './device/witness.ts'
import { createRandom } from './kit/random.ts'
import type { Lab, LabOptions } from './lab.ts'
import { runHistory } from './run-history.ts'
import { type LabServer, startLabServer } from './server/start-lab-server.ts'

export async function createLab(options: LabOptions = {}): Promise<Lab> {
  chooseNativeBroadcast()
  const random = createRandom(options.seed ?? 1)
  const channel = options.hasChannel ? await createLabChannel(options.seed ?? 1) : undefined
  const settings = { ...channel?.settings, ...options.settings }
  const started = await startLabServer({
    ...options,
    settings,
    channelClock: channel?.clock,
    fill: options.earlier?.fill,
  })
  const witness = createWitness()
  const people: LabPerson[] = []
  const background: unknown[] = []
  /** The downtime, with a CouchDB and on a busy machine, is not under test. */
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
    witness,
    channel,
    async person(name, { hasKeys = false } = {}) {
      const person = await createLabPerson({
        name,
        isKnown: options.earlier?.people.includes(name) ?? false,
        random,
        witness,
        hasKeys,
        trace: options.trace,
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
        findMore: async () => [
          ...((await channel?.findUnsettled(server.url)) ?? []),
          ...((await patience?.findMore?.()) ?? []),
        ],
      }),
    async expectConverged() {
      const alsoBroken = (await channel?.findBroken(people)) ?? []
      await expectConverged({ people, witness, hasBackup: server.hasBackup(), alsoBroken })
      if (background.length === 0) return
      const words = background.map((cause) => wordsOf(cause)).join('; ')
      throw new AggregateError(background, `Something failed unseen: ${words}`)
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

/**
 * Connects a device's tabs by the BroadcastChannel that Node shares with browsers. By default RxDB
 * uses files and sockets in Node, which cost more than the rest of a message.
 */
function chooseNativeBroadcast(): void {
  enforceOptions({ type: 'native' })
}
