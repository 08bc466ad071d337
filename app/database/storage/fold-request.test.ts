import { expect, test } from 'vitest'
import { type QueuedRequest, type RequestEntry, resourceKey } from './queued-request.ts'
import { foldRequest } from './request-store.ts'

function entry(
  _id: string,
  request: QueuedRequest,
  state: RequestEntry['state'] = 'waiting',
): RequestEntry {
  return { _id, request, state, resource: resourceKey(request, _id), timestamp: 0 }
}

const profile = (change: Extract<QueuedRequest, { kind: 'profile' }>['change']): QueuedRequest => ({
  kind: 'profile',
  change,
})
const block = (blocked: boolean): QueuedRequest => ({ kind: 'block', userId: 'ben', blocked })
const picture: QueuedRequest = { kind: 'picture', picture: new Blob(['x']) }

test('of a block and an unblock the later counts', () => {
  expect(foldRequest([entry('1', block(true))], block(false))).toEqual({
    request: block(false),
    replaced: ['1'],
  })
})

test('two changes of the profile are one, and the later says what both name', () => {
  const earlier = [entry('1', profile({ username: 'Ann', status: 'at sea' }))]
  expect(foldRequest(earlier, profile({ status: 'ashore' }))).toEqual({
    request: profile({ username: 'Ann', status: 'ashore' }),
    replaced: ['1'],
  })
})

test('a picture between two changes of the profile keeps its place', () => {
  const earlier = [entry('1', profile({ profilePicture: null })), entry('2', picture)]
  const later = profile({ status: 'ashore' })
  expect(foldRequest(earlier, later)).toEqual({ request: later, replaced: [] })
  expect(foldRequest(earlier, picture).replaced).toEqual(['2'])
})

test('P6: a refused change goes only when a new one covers all of it', () => {
  const refused = entry('1', profile({ username: 'Ben', status: 'at sea' }), 'refused')
  expect(foldRequest([refused], profile({ status: 'ashore' })).replaced).toEqual([])
  const later = profile({ username: 'Anna', status: 'ashore' })
  expect(foldRequest([refused], later)).toEqual({ request: later, replaced: ['1'] })
})

test('reports and forwards are never joined', () => {
  for (const request of [
    { kind: 'report', userId: 'ben', reason: 'a reason' },
    { kind: 'forward', messageId: 'm', recipientIds: ['ben'] },
  ] satisfies QueuedRequest[]) {
    expect(foldRequest([entry('1', request)], request).replaced).toEqual([])
  }
})

test('two changes of settings are one, and the later says what both name', () => {
  const [first, later]: [QueuedRequest, QueuedRequest] = [
    {
      kind: 'settings',
      settings: { theme: 'dark', textSize: 1 },
      settingsAt: { theme: 1, textSize: 1 },
    },
    { kind: 'settings', settings: { theme: 'light' }, settingsAt: { theme: 2 } },
  ]
  expect(foldRequest([entry('1', first)], later)).toEqual({
    request: {
      kind: 'settings',
      settings: { theme: 'light', textSize: 1 },
      settingsAt: { theme: 2, textSize: 1 },
    },
    replaced: ['1'],
  })
  expect(foldRequest([entry('1', first, 'refused')], later)).toEqual({
    request: later,
    replaced: [],
  })
})
