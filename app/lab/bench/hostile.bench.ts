import { setTimeout as pause } from 'node:timers/promises'
import { must } from '../../../schema/must.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { createAttacker } from './attacker.ts'
import { measureBystanders, type Waits } from './bystanders.ts'
import { createCheapAccounts } from './cheap-accounts.ts'
import type { Figure } from './figure.ts'
import { type AttackName, attacks } from './hostile-attacks.ts'
import { pushMessages } from './server-accounts.ts'
import { takePercentile } from './take-percentile.ts'

const historyLength = 10_000
const warmUpMs = 2_000
const quietMs = 3_000
const attackMs = 6_000
/** What an attack leaves behind is not the next one's. */
const settlingMs = 1_500
/** Others may wait five times as long as in the quiet, or so long that nobody minds. */
const worseTimes = 5
const unnoticedMs = 250

/** How long two people who chat wait while somebody else attacks, beside the quiet just before it. */
export async function measure(): Promise<Figure[]> {
  // No limits by address: all of them come from this one. Messages by person are limited as in the product.
  const server = await startBuiltServer({ env: { MESSAGE_RATE: '600' } })
  await server.kill()
  const [author, reader, ...attackers] = await createCheapAccounts(server.dataDir, 18)
  await server.start()
  const { origin, port } = server
  const chat = { origin, author: must(author, 'an author'), reader: must(reader, 'a reader') }
  const mallory = must(attackers[0], 'an attacker')
  const recipientId = must(attackers[1], 'an accomplice').userId
  await fillHistory()
  const attacker = createAttacker({ port, attackers })
  await measureBystanders({ ...chat, forMs: warmUpMs })
  const figures: Figure[] = []
  for (const name of Object.keys(attacks) as AttackName[]) {
    const quiet = await measureBystanders({ ...chat, forMs: quietMs })
    await attacker.begin(name)
    const waits = await measureBystanders({ ...chat, forMs: attackMs })
    await attacker.end()
    figures.push(...compare(name, waits, quiet))
    await pause(settlingMs)
  }
  await attacker.close()
  await server.close()
  return figures

  /** As one who has chatted for long: not within this hour, so without the limit. */
  async function fillHistory() {
    await server.kill()
    await server.start({ MESSAGE_RATE: '0' })
    await pushMessages({ origin, author: mallory, recipientId, count: historyLength })
    await server.kill()
    await server.start()
  }
}

function compare(name: AttackName, waits: Waits, quiet: Waits): Figure[] {
  return (['send', 'read'] as const).flatMap((what) => {
    const describe = (values: readonly number[]) => ({
      p50: takePercentile(values, 0.5),
      p95: takePercentile(values, 0.95),
      worst: Math.max(...values),
    })
    const [during, before] = [describe(waits[what]), describe(quiet[what])]
    const atMost = Math.max(unnoticedMs, worseTimes * before.p95)
    return (['p50', 'p95', 'worst'] as const).map(
      (which): Figure => ({
        what: `${name}: somebody else's ${what}, ${which}`,
        ...{ value: during[which], unit: 'ms' },
        floors: [{ what: 'quiet', value: before[which] }],
        ...(which === 'p95' && { target: { atMost } }),
      }),
    )
  })
}
