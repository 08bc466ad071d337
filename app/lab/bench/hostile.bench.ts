import { setTimeout as pause } from 'node:timers/promises'
import { must } from '../../../schema/helpers/assertions.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages } from '../server/server-accounts.ts'
import { createAttacker } from './attack/attacker.ts'
import { measureBystanders, type Waits } from './attack/bystanders.ts'
import { type AttackName, attacks } from './attack/hostile-attacks.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { startBareServer } from './floors/start-bare-server.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'

const historyLength = 10_000
const warmUpMs = 2_000
/** Before an attack, and again after it: other processes may load the machine meanwhile. */
const quietMs = 2_000
const attackMs = 6_000
const bareAttackMs = 4_000
/** Keeps one attack's aftermath out of the next. */
const settlingMs = 1_500
/** Others may wait five times as long as without an attack, or a still unnoticeable time. */
const worseTimes = 5
const unnoticedMs = 250

/**
 * How long two chatting people wait during an attack, compared with the quiet before and after; and
 * with people of a bare server under the same attack, which shows the attacker's own load on the
 * machine.
 */
export async function measure(): Promise<Figure[]> {
  // No limits by address: all clients share this one. Message limits per person are the product's.
  const server = await startBuiltServer({ env: { MESSAGE_RATE: '600' } })
  await server.kill()
  const [author, reader, ...attackers] = await createCheapAccounts(server.dataDir, 54)
  await server.start()
  const { origin, port } = server
  const chat = { origin, author: must(author, 'an author'), reader: must(reader, 'a reader') }
  const mallory = must(attackers[0], 'an attacker')
  const recipientId = must(attackers[1], 'an accomplice').userId
  await fillHistory()
  const bare = await startBareServer()
  const target = { ...chat, attacker: createAttacker({ port, attackers }) }
  const barePort = Number(new URL(bare.origin).port)
  const bareAttacker = createAttacker({ port: barePort, attackers })
  const bareTarget = { ...chat, origin: bare.origin, attacker: bareAttacker }
  for (const each of [chat, bareTarget]) await measureBystanders({ ...each, forMs: warmUpMs })
  const figures: Figure[] = []
  for (const name of Object.keys(attacks) as AttackName[]) {
    const floor = await attack(bareTarget, name, bareAttackMs)
    const before = await measureBystanders({ ...chat, forMs: quietMs })
    const waits = await attack(target, name, attackMs)
    const after = await measureBystanders({ ...chat, forMs: quietMs })
    figures.push(...compare(name, { waits, floor, quiet: join(before, after) }))
  }
  for (const each of [target, bareTarget]) await each.attacker.close()
  await bare.close()
  await server.close()
  return figures

  /** Simulates a long-time user: writes the history without the limit, not within this hour. */
  async function fillHistory() {
    await server.kill()
    await server.start({ MESSAGE_RATE: '0' })
    await pushMessages({ origin, author: mallory, recipientId, count: historyLength })
    await server.kill()
    await server.start()
  }
}

interface Target extends Omit<Parameters<typeof measureBystanders>[0], 'forMs'> {
  attacker: ReturnType<typeof createAttacker>
}

async function attack(target: Target, name: AttackName, forMs: number): Promise<Waits> {
  await target.attacker.begin(name)
  const waits = await measureBystanders({ ...target, forMs })
  await target.attacker.end()
  await pause(settlingMs)
  return waits
}

function join(one: Waits, other: Waits): Waits {
  return { send: [...one.send, ...other.send], read: [...one.read, ...other.read] }
}

function compare(
  name: AttackName,
  { waits, floor, quiet }: { waits: Waits; floor: Waits; quiet: Waits },
): Figure[] {
  return (['send', 'read'] as const).flatMap((what) => {
    const describe = (values: readonly number[]) => ({
      p50: takePercentile(values, 0.5),
      p95: takePercentile(values, 0.95),
      worst: Math.max(...values),
    })
    const [during, before] = [describe(waits[what]), describe(quiet[what])]
    const bare = describe(floor[what])
    const atMost = Math.max(unnoticedMs, worseTimes * before.p95)
    return (['p50', 'p95', 'worst'] as const).map(
      (which): Figure => ({
        what: `${name}: somebody else's ${what}, ${which}`,
        value: during[which],
        unit: 'ms',
        floors: [
          { what: 'quiet', value: before[which] },
          { what: 'a bare server under it', value: bare[which] },
        ],
        ...(which === 'p95' && { target: { atMost } }),
      }),
    )
  })
}
