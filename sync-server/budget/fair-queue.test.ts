import { describe, expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

/** Steps that end when the test says so, by the order in which they were begun. */
function openSteps() {
  const begun: { name: string; end: () => void }[] = []
  const step = (name: string) => () =>
    new Promise<void>((resolve) => begun.push({ name, end: resolve }))
  return {
    step,
    names: () => begun.map(({ name }) => name),
    async endAll(count: number) {
      for (let index = 0; index < count; index += 1) {
        await expect.poll(() => begun.length).toBeGreaterThan(index)
        begun[index]?.end()
      }
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('P12: a fair queue', () => {
  it('runs a few at once, and then one of each key in turn', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 100 })
    const { step, names, endAll } = openSteps()
    const jobs = [
      ...['ann 1', 'ann 2', 'ann 3', 'ann 4'].map((name) => queue.once({ key: 'ann' }, step(name))),
      ...['ben 1', 'ben 2'].map((name) => queue.once({ key: 'ben' }, step(name))),
      queue.once({ key: 'cyd' }, step('cyd 1')),
    ]
    await endAll(7)
    await Promise.all(jobs)
    expect(names()).toEqual(['ann 1', 'ben 1', 'cyd 1', 'ann 2', 'ben 2', 'ann 3', 'ann 4'])
    expect(queue.stats()).toEqual({ running: 0, waiting: 0, jobs: 0, refused: 0 })
  })

  it('lets a short job pass long ones of others, and the oldest of a key go first', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 100 })
    const { step, names, endAll } = openSteps()
    const long = (name: string) =>
      queue.run({ key: 'ann' }, async (turn) => {
        for (const page of [1, 2, 3]) await turn(step(`${name}${page}`))
      })
    const jobs = [long('a'), long('b'), queue.once({ key: 'ben' }, step('ben'))]
    await endAll(7)
    await Promise.all(jobs)
    expect(names()).toEqual(['a1', 'ben', 'a2', 'a3', 'b1', 'b2', 'b3'])
  })

  it('leaves room for whoever comes, however much one key has to do', async () => {
    const queue = createFairQueue({ atOnce: 3, atOncePerKey: 2, jobsMaxPerKey: 100 })
    const { step, names, endAll } = openSteps()
    const jobs = [1, 2, 3, 4].map((index) => queue.once({ key: 'ann' }, step(`ann ${index}`)))
    jobs.push(queue.once({ key: 'ben' }, step('ben')))
    await expect.poll(names).toEqual(['ann 1', 'ann 2', 'ben'])
    await endAll(5)
    await Promise.all(jobs)
    expect(names()).toEqual(['ann 1', 'ann 2', 'ben', 'ann 3', 'ann 4'])
    expect(queue.stats()).toEqual({ running: 0, waiting: 0, jobs: 0, refused: 0 })
  })

  it('lets a key rest for as long as its step took, while somebody else asks for something', async () => {
    const clock = { ms: 0 }
    const others = { areThere: true }
    const rests: { ms: number; end: () => void }[] = []
    const queue = createFairQueue({
      atOnce: 2,
      atOncePerKey: 1,
      jobsMaxPerKey: 100,
      now: () => clock.ms,
      isAlone: () => !others.areThere,
      later: (end, ms) => void rests.push({ end, ms }),
    })
    const { step, names, endAll } = openSteps()
    const jobs = ['ann 1', 'ann 2', 'ann 3'].map((name) => queue.once({ key: 'ann' }, step(name)))
    await expect.poll(names).toEqual(['ann 1'])
    clock.ms += 10
    await endAll(1)
    await expect.poll(() => rests.map(({ ms }) => ms)).toEqual([10])
    jobs.push(queue.once({ key: 'ben' }, step('ben 1')))
    await settle()
    expect(names()).toEqual(['ann 1', 'ben 1'])
    others.areThere = false
    rests[0]?.end()
    await endAll(4)
    await Promise.all(jobs)
    expect(names()).toEqual(['ann 1', 'ben 1', 'ann 2', 'ann 3'])
    expect(rests).toHaveLength(1)
  })

  it('refuses at once what is too much for one key, with words, and nobody else', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 2 })
    const { step, endAll } = openSteps()
    const jobs = [1, 2].map((index) => queue.once({ key: 'ann' }, step(`ann ${index}`)))
    await expect(queue.once({ key: 'ann' }, step('ann 3'))).rejects.toMatchObject({
      status: 429,
      reason: 'too_many_at_once',
      headers: { 'retry-after': '2' },
    })
    jobs.push(queue.once({ key: 'ben' }, step('ben')))
    await endAll(3)
    await Promise.all(jobs)
    expect(queue.stats().refused).toBe(1)
  })

  it('forgets what nobody waits for any more, and ends it at its next step', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 100 })
    const { step, names, endAll } = openSteps()
    const gone = new AbortController()
    const running = queue.run({ key: 'ann', signal: gone.signal }, async (turn) => {
      await turn(step('begun'))
      await turn(step('never'))
    })
    const ended = expect(running).rejects.toThrow('gone')
    const waiting = queue.once({ key: 'ann', signal: gone.signal }, step('never either'))
    const other = queue.once({ key: 'ben' }, step('ben'))
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(queue.stats()).toMatchObject({ running: 1, waiting: 1, jobs: 2 })
    await endAll(2)
    await ended
    await other
    expect(names()).toEqual(['begun', 'ben'])
    await expect(queue.once({ key: 'ann', signal: gone.signal }, step('late'))).rejects.toThrow()
  })

  it('reads pages in turns, and closes their source however the reading ends', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 100 })
    const closed: string[] = []
    async function* read(name: string) {
      try {
        for (const page of [1, 2, 3]) yield `${name}${page}`
      } finally {
        closed.push(name)
      }
    }
    const all: string[] = []
    for await (const page of queue.walk({ key: 'ann' }, read('a'))) all.push(page)
    expect(all).toEqual(['a1', 'a2', 'a3'])
    for await (const page of queue.walk({ key: 'ann' }, read('b'))) if (page === 'b2') break
    const gone = new AbortController()
    const walk = queue.walk({ key: 'ann', signal: gone.signal }, read('c'))
    await walk.next()
    gone.abort(new Error('gone'))
    await expect(walk.next()).rejects.toThrow('gone')
    await settle()
    expect(closed).toEqual(['a', 'b', 'c'])
    expect(queue.stats().jobs).toBe(0)
  })

  it('goes on after a step that fails', async () => {
    const queue = createFairQueue({ atOnce: 1, atOncePerKey: 1, jobsMaxPerKey: 100 })
    const failing = queue.once({ key: 'ann' }, () => Promise.reject(new Error('broken')))
    const next = queue.once({ key: 'ann' }, async () => 'well')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('well')
  })
})
