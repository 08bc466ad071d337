import { expect, test } from 'vitest'
import { createRequestFaults } from './request-faults.ts'

test('a frame that arrives again and gets lost holds back no request after it', async () => {
  const faults = createRequestFaults({ random: () => 0, fetch: async () => new Response('news') })
  faults.add({ do: 'reorder', count: 1 })
  const cut = new AbortController().signal
  let frames = 0
  async function transport() {
    frames += 1
    // The second one is lost on the way: nothing ever answers it.
    return frames === 1 ? new Response('taken') : await new Promise<Response>(() => {})
  }
  const url = 'http://lab.example/notes'
  const pushed = await faults.send(url, { method: 'PUSH' }, { cut, transport })
  expect(await pushed.text()).toBe('taken')
  const asked = await faults.send(url, { method: 'GET' }, { cut })
  expect(await asked.text()).toBe('news')
  expect(frames).toBe(2)
})
