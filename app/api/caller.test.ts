import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { createCaller } from './caller.ts'

async function start(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const heard = { unauthorized: [] as string[], times: [] as number[] }
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = createCaller({
    serverUrl,
    fetch,
    onServerTime: (now) => heard.times.push(now),
    onUnauthorized: (token) => void heard.unauthorized.push(token),
  })
  const ask = (token?: string) =>
    call({ path: '/users', answer: z.array(z.string()), fallback: 'Failed to fetch users', token })
  return { call, ask, heard, server, serverUrl }
}

test('an answer is parsed, and the time of the server is heard', async () => {
  const { ask, heard } = await start((request, response) => {
    expect(request.headers.authorization).toBe('Bearer a.b.c')
    response.setHeader('x-petrel-now', '1234').end('["Ann"]')
  })
  expect(await ask('a.b.c')).toEqual(['Ann'])
  expect(heard.times).toEqual([1234])
})

test("a refusal speaks the server's words, or the fallback where it has none", async () => {
  const { ask } = await start((request, response) => {
    response.writeHead(409)
    response.end(request.headers.authorization ? '{"error":"Taken.","code":"taken"}' : '<html>')
  })
  await expect(ask('a.b.c')).rejects.toMatchObject({
    status: 409,
    code: 'taken',
    message: 'Taken.',
  })
  await expect(ask()).rejects.toMatchObject({ status: 409, message: 'Failed to fetch users' })
})

test('an answer in another shape is a failure with words, not a value', async () => {
  const { ask } = await start((_request, response) => void response.end('{"not":"a list"}'))
  await expect(ask()).rejects.toMatchObject({
    code: 'unreadable',
    message: 'Failed to fetch users',
  })
})

const signedOut = JSON.stringify({ code: 'session_ended', error: 'Sign in again.' })

test('a 401 tells which token has ended; without one it tells nothing', async () => {
  const { ask, heard } = await start(
    (_request, response) => void response.writeHead(401).end(signedOut),
  )
  await expect(ask('a.b.c')).rejects.toMatchObject({ status: 401 })
  await expect(ask()).rejects.toMatchObject({ status: 401 })
  expect(heard.unauthorized).toEqual(['a.b.c'])
})

test.each(['{}', '<html>Your password?', '{"error":"Unauthorized"}'])(
  'P1: a 401 of something on the way, %s, ends no sign-in',
  async (body) => {
    const { ask, heard } = await start(
      (_request, response) => void response.writeHead(401).end(body),
    )
    await expect(ask('a.b.c')).rejects.toMatchObject({ status: 401 })
    expect(heard.unauthorized).toEqual([])
  },
)

test('a 401 fails once it is decided whether the sign-in has ended', async () => {
  const told: string[] = []
  const { serverUrl } = await start(
    (_request, response) => void response.writeHead(401).end(signedOut),
  )
  const call = createCaller({
    serverUrl,
    fetch,
    async onUnauthorized() {
      await new Promise(setImmediate)
      told.push('decided')
    },
  })
  await call({ path: '/users', answer: z.unknown(), fallback: 'Failed', token: 'a.b.c' }).catch(
    () => told.push('failed'),
  )
  expect(told).toEqual(['decided', 'failed'])
})

test('no answer at all has words too', async () => {
  const { ask } = await start((request) => void request.socket.destroy())
  await expect(ask()).rejects.toMatchObject({
    status: 0,
    message: 'Network error: Unable to connect to server',
  })
})
