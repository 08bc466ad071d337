import { expect, test } from 'vitest'
import { findFailure } from './histories.ts'
import { createLab } from './lab.ts'
import { createRandom } from './random.ts'

test('a lab is not quiet while a write waits for its answer', async () => {
  const order: string[] = []
  let answer = () => {}
  let looks = 0
  const lab = createLab({
    serve: () => () =>
      new Promise<Response>((resolve) => {
        answer = () => {
          order.push('answered')
          resolve(new Response('taken'))
        }
      }),
    open: ({ fetch, url }) => ({
      write: () => fetch(url, { method: 'POST', body: 'milk' }),
      read() {
        looks += 1
        // Far more looks than quiet needs.
        if (looks === 20) answer()
        return {}
      },
      close() {},
    }),
  })
  const phone = await lab.device('phone')
  const writing = phone.app.write()
  await lab.settle({ quietMs: 20 })
  order.push('quiet')
  expect(order).toEqual(['answered', 'quiet'])
  await writing
  await lab.close()
})

test('with settled steps each step finds what the step before it has led to', async () => {
  const stored = new Map<string, string>()
  const seen: number[] = []
  const failure = await findFailure({
    seeds: [1],
    devices: ['phone'],
    settlesSteps: true,
    quietMs: 20,
    replay: [0, 1, 2].map((n) => ({ n, do: 'add', device: 0, pick: n })),
    invariants: [() => []],
    serve: () => async (request) => {
      stored.set(await request.text(), 'milk')
      return new Response('taken')
    },
    open: ({ fetch, url }) => ({
      read: () => Object.fromEntries(stored),
      close() {},
      // Nobody waits for its request.
      add(id: string) {
        seen.push(stored.size)
        void fetch(url, { method: 'POST', body: id })
      },
    }),
    actions: { add: (app, { id }) => app.add(id) },
  })
  expect(failure).toBeUndefined()
  expect(seen).toEqual([0, 1, 2])
})

test('a network that goes and comes back reaches what an app reads of its browser', async () => {
  const heard: string[] = []
  const lab = createLab({
    serve: () => () => new Response('here'),
    open({ page }) {
      for (const name of ['online', 'offline']) {
        page.window.addEventListener(name, () => heard.push(`${name} ${page.navigator.onLine}`))
      }
      return { read: () => ({ isOnline: page.navigator.onLine }), close() {} }
    },
  })
  const phone = await lab.device('phone')
  expect(phone.app.read()).toEqual({ isOnline: true })
  phone.network.goOffline()
  expect(phone.app.read()).toEqual({ isOnline: false })
  phone.network.goOnline()
  phone.network.goDark()
  // A dead access point tells nobody.
  expect(phone.app.read()).toEqual({ isOnline: true })
  expect(heard).toEqual(['offline false', 'online true'])
  await lab.close()
})

test('of histories that run at once the first seed that fails counts, also when it is the last to end', async () => {
  const firstOf = (seed: number) => createRandom(seed)()
  const slowMs = 300
  const failure = await findFailure({
    seeds: [1, 2, 3, 4, 5, 6],
    atOnce: 3,
    quietMs: 20,
    patienceMs: 20,
    devices: ['phone'],
    replay: [{ n: 0, do: 'look', device: 0, pick: 0 }],
    invariants: [
      ({ looks }) =>
        [firstOf(2), firstOf(3)].includes(Number(looks.at(-1)?.held.get('phone')?.first))
          ? ['broken']
          : [],
    ],
    serve: () => () => new Response('here'),
    open({ random }) {
      const first = random()
      return { first, read: () => ({ first }), close() {} }
    },
    actions: {
      look: async ({ first }) => {
        if (first === firstOf(2)) await new Promise((resolve) => setTimeout(resolve, slowMs))
      },
    },
  })
  expect(failure?.seed).toBe(2)
})
