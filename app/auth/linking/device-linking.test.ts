import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import {
  startTestApp,
  type TestApp,
  type TestPerson,
} from '../../../sync-server/testing/start-test-app.ts'
import { ApiError } from '../../api/api-error.ts'
import { createCaller } from '../../api/caller.ts'
import { createLinkingCalls, type LinkingCalls } from '../../api/linking-calls.ts'
import { createDeviceLinking, type LinkingState } from './device-linking.ts'

const opened = {} as { app: TestApp; ann: TestPerson; phone: LinkingCalls }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
  opened.phone = connect(opened.ann.token)
})
afterAll(() => opened.app.close())

function connect(token?: string): LinkingCalls {
  const serverUrl = opened.app.url
  const call = createCaller({ serverUrl, fetch, onUnauthorized: () => {} })
  return createLinkingCalls({ call, callSignedIn: (request) => call({ ...request, token }) })
}

/** A device at its sign-in screen; its next or present wait can be made to fail. */
function start() {
  const calls = connect()
  const listeners = new Set<() => void>()
  const page = { isVisible: true }
  const signedIn: SignedIn[] = []
  let failure = createDeferred<never>()
  const choice = { keepSignedIn: true }
  const linking = createDeviceLinking({
    calls: { ...calls, wait: (...asked) => Promise.race([calls.wait(...asked), failure.promise]) },
    page: {
      isVisible: () => page.isVisible,
      watch(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    origin: 'https://chat.example.org',
    keepSignedIn: () => choice.keepSignedIn,
    onSignedIn: (session) => signedIn.push(session),
  })
  onTestFinished(() => linking.close())
  const state = () => linking.state.getSnapshot()
  const reach = async <Kind extends LinkingState['kind']>(kind: Kind) => {
    await expect.poll(() => state().kind).toBe(kind)
    return state() as Extract<LinkingState, { kind: Kind }>
  }
  return {
    linking,
    signedIn,
    choice,
    reach,
    async readId() {
      const { address } = await reach('shown')
      expect(address).toMatch(/^https:\/\/chat\.example\.org\/link#[\w-]{22}$/)
      return address.slice(-22)
    },
    fail(status: number, code: string) {
      const { reject } = failure
      failure = createDeferred<never>()
      reject(new ApiError({ status, code, words: `It was ${code}.` }))
    },
    look(isVisible: boolean) {
      page.isVisible = isVisible
      for (const listener of [...listeners]) listener()
    },
  }
}

test('a device is signed in by the code that it shows, as is chosen by then', async () => {
  const device = start()
  const id = await device.readId()
  await opened.phone.scan(id)
  expect((await device.reach('scanned')).username).toBe('Ann')
  device.choice.keepSignedIn = false
  await opened.phone.decide({ id, isAllowed: true })
  await expect.poll(() => device.signedIn.length).toBe(1)
  const [session] = device.signedIn
  expect(session?.user._id).toBe(opened.ann.userId)
  const answer = await opened.app.call('GET', '/api/users/me/sessions', { token: session?.token })
  const list = answer.body as { isCurrent: boolean; createdAt: string; expiresAt: string }[]
  const { createdAt = '', expiresAt = '' } = list.find((one) => one.isCurrent) ?? {}
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(12 * 60 * 60 * 1000)
})

test('an expired code is renewed while the page is looked at, and then only', async () => {
  const device = start()
  const first = await device.readId()
  device.fail(410, 'device_link_expired')
  await expect.poll(device.readId).not.toBe(first)
  device.look(false)
  device.fail(410, 'device_link_expired')
  await device.reach('paused')
  device.look(true)
  expect(await device.readId()).not.toBe(first)
})

test('without a network it says so, and goes on with the same code', async () => {
  const device = start()
  const id = await device.readId()
  device.fail(0, 'network')
  expect((await device.reach('trouble')).words).toBe('It was network.')
  device.look(true)
  await opened.phone.scan(id)
  await device.reach('scanned')
})

test('what ends after the scan is told, and nothing takes its place unasked', async () => {
  const device = start()
  const id = await device.readId()
  await opened.phone.scan(id)
  await device.reach('scanned')
  device.fail(410, 'device_link_expired')
  expect((await device.reach('ended')).words).toBe('It was device_link_expired.')
  device.linking.again()
  expect(await device.readId()).not.toBe(id)
})

test('a device that leaves its sign-in screen withdraws its code', async () => {
  const device = start()
  const id = await device.readId()
  await opened.phone.scan(id)
  device.linking.close()
  const watched = opened.phone.watch({ id, seen: 'scanned' })
  await expect(watched).rejects.toThrow('The sign-in was cancelled on the other device.')
})
