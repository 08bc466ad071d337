import { expect, test } from 'vitest'
import { breakOff } from './break-off.ts'

const encoder = new TextEncoder()

function answerHalf() {
  const cut = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    // The rest never comes.
    start: (controller) => controller.enqueue(encoder.encode('half')),
  })
  return { cut, response: breakOff(new Response(body, { status: 201 }), cut.signal) }
}

test('an answer whose line is cut in the middle fails, also one that is being read', async () => {
  const { cut, response } = answerHalf()
  const reading = response.text()
  cut.abort(new TypeError('the network is gone'))
  await expect(reading).rejects.toThrow('the network is gone')
  expect(response.status).toBe(201)
})

test('an answer that comes whole is given on as it came', async () => {
  const { signal } = new AbortController()
  const whole = breakOff(Response.json({ some: 'words' }, { headers: { 'x-told': 'yes' } }), signal)
  expect(whole.headers.get('x-told')).toBe('yes')
  expect(await whole.json()).toEqual({ some: 'words' })
  expect(breakOff(new Response(null, { status: 204 }), signal).status).toBe(204)
})
