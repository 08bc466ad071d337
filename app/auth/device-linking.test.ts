import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { SignedIn } from '../../schema/api/auth.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import {
  startTestApp,
  type TestApp,
  type TestPerson,
} from '../../sync-server/testing/start-test-app.ts'
import { ApiError } from '../api/api-error.ts'
import { createCaller } from '../api/caller.ts'
import { createLinkingCalls, type LinkingCalls } from '../api/linking-calls.ts'
import { openDeviceStore } from '../database/storage/open-device-store.ts'
import {
  type AccountKeys,
  createSeed,
  deriveAccountKeys,
  publishKeys,
  wrapSeed,
} from '../encryption/account-keys.ts'
import { createHandoverPair, handKeys } from '../encryption/handed-keys.ts'
import { createKeyHandover } from '../sync/keys/key-handover.ts'
import { createDeviceLinking, type LinkingState } from './device-linking.ts'

const opened = {} as { app: TestApp; ann: TestPerson; phone: LinkingCalls }
beforeAll(async () => {
  opened.app = await startTestApp({ END_TO_END: 'on' })
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
function start(calls = connect()) {
  const listeners = new Set<() => void>()
  const page = { isVisible: true }
  const signedIn: SignedIn[] = []
  const ended: SignedIn[] = []
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
    endSignIn: async (session) => void ended.push(session),
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
    ended,
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

test('P13: a linked device gets all own keys, sealed to what its code stands for', async () => {
  const eve = await opened.app.register('Eve')
  const place = { userId: eve.userId, way: 'password' as const }
  const own = [2, 1].map((number) => deriveAccountKeys({ seed: createSeed(), number }))
  for (const keys of own.toReversed()) {
    const wrappedSeed = wrapSeed(keys, createSeed(), place)
    const { password } = eve
    const body = { keys: publishKeys(keys, eve.userId), wrappedSeed, password }
    const { status } = await opened.app.call('PUT', '/api/users/me/keys', {
      token: eve.token,
      body,
    })
    expect(status).toBe(200)
  }
  const [phone, laptop] = [openDisk(), openDisk()]
  await phone.keep(eve.userId, own)
  const told: string[] = []
  const calls = connect(eve.token)
  const scanning = createKeyHandover({
    ...phone,
    calls: {
      ...calls,
      decide(given) {
        told.push(JSON.stringify(given))
        return calls.decide(given)
      },
    },
    readUserId: () => eve.userId,
  })
  const asking = connect()
  const device = start(createKeyHandover({ ...laptop, calls: asking, readUserId: () => undefined }))
  const id = await device.readId()
  await scanning.scan(id)
  await scanning.decide({ id, isAllowed: true })
  await expect.poll(() => device.signedIn).toHaveLength(1)
  expect(device.signedIn[0]).not.toHaveProperty('handedKeys')
  expect(await laptop.list(eve.userId)).toEqual(own.map(({ number, seed }) => ({ number, seed })))
  for (const { seed } of own) {
    expect(told.join()).not.toContain(Buffer.from(seed).toString('base64url'))
  }
  expect(told.join()).toContain('handedKeys')

  // A server that says that the code stands for a key of its own is given nothing.
  const { agreement } = createHandoverPair()
  const second = start(createKeyHandover({ ...openDisk(), calls: asking, readUserId: () => '' }))
  const next = await second.readId()
  const lying = createKeyHandover({
    ...phone,
    calls: { ...calls, scan: async (...asked) => ({ ...(await calls.scan(...asked)), agreement }) },
    readUserId: () => eve.userId,
  })
  await expect(lying.scan(next)).rejects.toThrow('another device')
  await calls.decide({ id: next, isAllowed: false })

  // Nor can it plant keys that the account has not published.
  const tablet = openDisk()
  const planted = deriveAccountKeys({ seed: createSeed(), number: 3 })
  let asked = ''
  const third = start(
    createKeyHandover({
      ...tablet,
      readUserId: () => undefined,
      calls: {
        ...asking,
        begin(publicKey, given) {
          asked = given?.agreement ?? ''
          return asking.begin(publicKey, given)
        },
        async complete(given, more) {
          const to = { id: given.id, userId: eve.userId, agreement: asked }
          return { ...(await asking.complete(given, more)), handedKeys: handKeys([planted], to) }
        },
      },
    }),
  )
  const last = await third.readId()
  await calls.scan(last)
  await calls.decide({ id: last, isAllowed: true })
  await expect.poll(() => third.signedIn).toHaveLength(1)
  expect(await tablet.list(eve.userId)).toEqual([])
})

/** A device's own keys, as they lie on its disk. */
function openDisk() {
  const indexedDB = new IDBFactory()
  const openStore = (userId: string) =>
    openDeviceStore({ name: `petrel-${userId}`, indexedDB, IDBKeyRange })
  return {
    openStore,
    async keep(userId: string, own: readonly AccountKeys[]) {
      const store = await openStore(userId)
      await store.keyring.bulkPut(own.map((keys) => ({ _id: keys.number, keys })))
      store.close()
    },
    async list(userId: string) {
      const store = await openStore(userId)
      const rows = await store.keyring.toArray()
      store.close()
      return rows
        .map(({ keys: { number, seed } }) => ({ number, seed }))
        .sort((a, b) => b.number - a.number)
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

test('a sign-in that comes when its code is gone is ended', async () => {
  const calls = connect()
  const device = start({
    ...calls,
    async complete(...asked) {
      const session = await calls.complete(...asked)
      // As when the keys that came along close what shows the code.
      device.linking.close()
      return session
    },
  })
  const id = await device.readId()
  await opened.phone.scan(id)
  await device.reach('scanned')
  await opened.phone.decide({ id, isAllowed: true })
  await expect.poll(() => device.ended.map(({ user }) => user._id)).toEqual([opened.ann.userId])
  expect(device.signedIn).toEqual([])
})

test('a device that leaves its sign-in screen withdraws its code', async () => {
  const device = start()
  const id = await device.readId()
  await opened.phone.scan(id)
  device.linking.close()
  const watched = opened.phone.watch({ id, seen: 'scanned' })
  await expect(watched).rejects.toThrow('The sign-in was cancelled on the other device.')
})
