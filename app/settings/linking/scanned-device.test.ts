import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTestDevice } from '../../../sync-server/testing/open-test-device.ts'
import {
  startTestApp,
  type TestApp,
  type TestPerson,
} from '../../../sync-server/testing/start-test-app.ts'
import { ApiError } from '../../api/api-error.ts'
import { createCaller } from '../../api/caller.ts'
import { createLinkingCalls, type LinkingCalls } from '../../api/linking-calls.ts'
import { createScan, type ScanState } from './confirm-device.tsx'

const opened = {} as { app: TestApp; ann: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
})
afterAll(() => opened.app.close())

/** Ann's phone, which has scanned the code of a device. */
async function start(change: Partial<LinkingCalls> = {}, known?: string) {
  const device = await openTestDevice(opened.app, { 'user-agent': 'Firefox/1 on Windows' })
  const { url: serverUrl } = opened.app
  const call = createCaller({ serverUrl, fetch, onUnauthorized: () => {} })
  const { token } = opened.ann
  const calls = createLinkingCalls({ call, callSignedIn: (asked) => call({ ...asked, token }) })
  const scan = createScan({ calls: { ...calls, ...change }, id: known ?? device.id })
  onTestFinished(() => scan.close())
  const reach = async <Kind extends ScanState['kind']>(kind: Kind) => {
    await expect.poll(() => scan.state.getSnapshot().kind).toBe(kind)
    return scan.state.getSnapshot() as Extract<ScanState, { kind: Kind }>
  }
  return { device, calls, scan, reach }
}

test('who scanned a code sees the device, confirms, and sees that it is signed in', async () => {
  const { device, scan, reach } = await start()
  expect((await reach('asks')).device.device).toBe('Firefox/1 on Windows')
  scan.decide(true)
  await reach('confirmed')
  await device.complete()
  await reach('done')
})

test('a declined device is not signed in', async () => {
  const { device, scan, reach } = await start()
  await reach('asks')
  scan.decide(false)
  await reach('declined')
  expect((await device.wait('scanned')).body.code).toBe('device_link_refused')
})

test('the phone says so when a device cancels, and when nobody shows the code', async () => {
  const { device, reach } = await start()
  await reach('asks')
  await device.send('cancel')
  expect((await reach('ended')).words).toBe('The sign-in was cancelled on the other device.')
  const other = await start({}, 'A'.repeat(22))
  expect((await other.reach('ended')).words).toContain("isn't valid any more")
})

test('a confirmation that does not reach the server says so, and can be given again', async () => {
  const network = { isAway: true }
  const { calls, scan, reach } = await start({
    async decide(given) {
      if (!network.isAway) return await calls.decide(given)
      throw new ApiError({ status: 0, code: 'network', words: 'No connection.' })
    },
  })
  await reach('asks')
  scan.decide(true)
  await expect.poll(() => scan.state.getSnapshot()).toMatchObject({ problem: 'No connection.' })
  network.isAway = false
  scan.decide(true)
  await reach('confirmed')
})

test('a code scanned without a network is checked when the network is back', async () => {
  const network = { isAway: true, tries: 0 }
  const { calls, scan, reach } = await start({
    async scan(id, options) {
      network.tries += 1
      if (!network.isAway) return await calls.scan(id, options)
      throw new ApiError({ status: 0, code: 'network', words: 'No connection.' })
    },
  })
  await expect.poll(() => network.tries).toBe(1)
  expect(scan.state.getSnapshot()).toEqual({ kind: 'checking' })
  network.isAway = false
  scan.hurry()
  expect((await reach('asks')).device.device).toBe('Firefox/1 on Windows')
})
