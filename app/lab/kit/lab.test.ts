import { expect, test } from 'vitest'
import { findFailure } from './histories.ts'
import { createLab } from './lab.ts'

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
