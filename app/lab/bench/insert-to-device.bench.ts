import { createLab } from '../create-lab.ts'
import type { LabDevice } from '../device/lab-device-types.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { measurePouchPair } from './floors/measure-pouch-pair.ts'
import { measureWsEcho } from './floors/measure-ws-echo.ts'

const [warmUps, rounds] = [20, 200]

/**
 * Two devices and the server share one process: a message's follow-up work ends before the next.
 */
const quietMs = 50

/**
 * From the insert on one device to the other person's database, over the real server, one message
 * at a time. Once with writes that wait for the disk, the server's default, and once as the floor's
 * PouchDBs write, which leave that to the operating system.
 */
export async function measure(): Promise<Figure[]> {
  const synced = await measureLab('sync')
  const relaxed = await measureLab('relaxed')
  const echo = await measureWsEcho(rounds)
  const pair = await measurePouchPair(rounds)
  const toFigure = (took: readonly number[], share: number, words: string): Figure => ({
    what: `insert → other device’s database${words}, p${share * 100}`,
    value: takePercentile(took, share),
    unit: 'ms',
    floors: [
      { what: 'bare ws echo', value: takePercentile(echo, share) },
      { what: 'two PouchDBs', value: takePercentile(pair, share) },
    ],
    ...(share === 0.5 && { target: { atMost: 30 } }),
  })
  return [0.5, 0.95].flatMap((share) => [
    toFigure(synced, share, ', on disk before it goes on'),
    toFigure(relaxed, share, ', as the floor writes'),
  ])
}

async function measureLab(durability: 'sync' | 'relaxed'): Promise<number[]> {
  const lab = await createLab({ settings: { DURABILITY: durability } })
  const [ann, ben] = [await lab.person('ann'), await lab.person('ben')]
  const [from, to] = [await ann.device(), await ben.device()]
  await lab.settle()
  await measureArrivals({ from, to, count: warmUps })
  const took = await measureArrivals({ from, to, count: rounds })
  await lab.close()
  return took
}

async function measureArrivals(way: { from: LabDevice; to: LabDevice; count: number }) {
  const { from, to, count } = way
  const view = to.messenger.openConversation(from.userId)
  const took: number[] = []
  for (let round = 0; round < count; round++) {
    const content = `round ${round} of ${count}`
    const arrived = new Promise<number>((resolve) => {
      const unsubscribe = view.messages.subscribe(() => {
        if (view.messages.getSnapshot().items.at(-1)?.content !== content) return
        unsubscribe()
        resolve(performance.now())
      })
    })
    const start = performance.now()
    await from.say(to, content)
    took.push((await arrived) - start)
    await new Promise((resolve) => setTimeout(resolve, quietMs))
  }
  view.close()
  return took
}
