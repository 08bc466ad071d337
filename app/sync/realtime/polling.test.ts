import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createPolling } from './polling.ts'

async function start(answer: RequestListener, now = Date.now) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const heard: ServerEvent[] = []
  const seen = { opened: 0, down: 0, signedOut: 0, outdated: 0 }
  const page = createLabPage()
  const polling = createPolling({
    platform: { fetch, page, random: () => 1, now },
    serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readToken: () => 'a.b.c',
    onOpen: () => (seen.opened += 1),
    onEvent: (event) => heard.push(event),
    onDown: () => (seen.down += 1),
    onSignedOut: () => (seen.signedOut += 1),
    onOutdated: () => (seen.outdated += 1),
  })
  onTestFinished(() => {
    polling.close()
    server.closeAllConnections()
    server.close()
  })
  const until = (isTrue: () => boolean) => expect.poll(isTrue).toBe(true)
  return { asked, heard, seen, page, polling, until }
}

test('it hears what it understands of an answer, and asks again under the same id', async () => {
  const events = [{ event: 'from-the-future' }, { event: 'users-online', data: [] }]
  let left = 1
  const { asked, heard, until, seen } = await start((request, response) => {
    expect(request.headers.authorization).toBe('Bearer a.b.c')
    if (left-- > 0) response.end(JSON.stringify({ events }))
  })
  await until(() => asked.length === 2)
  expect(heard).toEqual([{ event: 'users-online', data: [] }])
  expect(seen).toEqual({ opened: 1, down: 0, signedOut: 0, outdated: 0 })
  expect(asked[1]).toBe(asked[0])
})

test('after a failure it restarts under another id, immediately when the page comes to the front', async () => {
  const { asked, page, until, polling } = await start((_request, response) => {
    response.writeHead(503).end()
  })
  await until(() => asked.length === 1)
  expect(polling.send({ event: 'user-online', data: 'ann' })).toBe(false)
  await until(() => {
    page.setVisible(true)
    return asked.length >= 2
  })
  expect(asked[1]).not.toBe(asked[0])
})

test('an instant empty answer is a failure, not a reason to poll faster', async () => {
  // With a stopped clock every answer is quick, however busy the machine is.
  const { asked, page, seen, until } = await start(
    (_request, response) => void response.end('{"events":[]}'),
    () => 0,
  )
  await until(() => {
    page.setVisible(true)
    return asked.length >= 2
  })
  expect(asked[1]).not.toBe(asked[0])
  expect(seen.opened).toBe(0)
})

test('an ended sign-in is reported, and not retried', async () => {
  const { asked, page, seen, until } = await start((_request, response) => {
    response.writeHead(401).end('{"code":"session_ended","error":"Sign in again."}')
  })
  await until(() => seen.signedOut === 1)
  page.setVisible(true)
  await new Promise(setImmediate)
  expect(asked).toHaveLength(1)
})

test('a 401 of something on the way ends no sign-in', async () => {
  const { asked, page, seen, until } = await start((_request, response) => {
    response.writeHead(401).end('<html>Your password for this network?')
  })
  await until(() => {
    page.setVisible(true)
    return asked.length >= 2
  })
  expect(seen).toMatchObject({ opened: 0, signedOut: 0 })
})

test.each([
  ['{"code":"app_outdated","error":"Update to go on."}', 1],
  ['<html>Upgrade your browser', 0],
  ['{"error":"Upgrade Required"}', 0],
])('of an answer 426 with %s it tells %i times that the app is too old', async (body, outdated) => {
  const { asked, page, seen, until } = await start((request, response) => {
    expect(request.headers[wireHeader]).toBe(String(wireVersion))
    response.writeHead(426).end(body)
  })
  await until(() => {
    page.setVisible(true)
    return asked.length >= 2
  })
  expect(Math.min(seen.outdated, 1)).toBe(outdated)
  expect(seen).toMatchObject({ opened: 0, signedOut: 0 })
})
