import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { registerPerson, waitUntilKept } from './account-steps.ts'
import { copyBuild } from './copy-build.ts'
import { findProblems } from './find-problems.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

/** Runs in the page. */
declare function recordFailure(words: string): void

const build = await copyBuild()
const server = await startBuiltServer({ dist: build.dist })
const ann = await createPerson(server, 'ann', { keepsApp: true })

afterAll(async () => {
  await ann.close()
  await server.close()
  await build.remove()
})

test('P1: an update is offered, waits while somebody types, and starts at their click', async () => {
  await registerPerson(ann)
  await waitUntilKept(ann)
  await ann.page.reload()
  const search = ann.page.getByRole('searchbox')
  await search.fill('half a wor')

  await build.deploy('second')
  await ann.page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ann.page.getByText('A new version of Petrel is ready.').waitFor()
  expect(await search.inputValue()).toBe('half a wor')
  expect(await ann.page.locator('body[data-version]').count()).toBe(0)

  await ann.page.getByRole('button', { name: 'Update now' }).click()
  await ann.page.locator('body[data-version="second"]').waitFor({ state: 'attached' })
  await ann.page.getByRole('searchbox').waitFor()
})

test('a tab whose version another tab has replaced is asked too, and not reloaded', async () => {
  const other = await ann.openTab('/chat')
  await build.deploy('third')
  await other.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ann.page.getByRole('button', { name: 'Update now' }).click()
  await ann.page.locator('body[data-version="third"]').waitFor({ state: 'attached' })
  await other.getByRole('button', { name: 'Update now' }).waitFor()
  expect(await other.locator('body').getAttribute('data-version')).toBe('second')
  await other.getByRole('button', { name: 'Update now' }).click()
  await other.locator('body[data-version="third"]').waitFor({ state: 'attached' })
})

test('a page that had to be reloaded for a chosen version goes on with it, without another click', async () => {
  const { page } = ann
  await build.deploy('chosen')
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await page.getByRole('button', { name: 'Update now' }).waitFor()
  // As after ten seconds without an answer: what makes the browser wait cannot be provoked without wedging it.
  await page.evaluate(() => sessionStorage.setItem('update-reloads', '1'))
  await page.reload()
  await page.locator('body[data-version="chosen"]').waitFor({ state: 'attached' })
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('update-reloads'))).toBeNull()
})

test('a version that could twice not be fetched whole is offered once it can', async () => {
  const { page } = ann
  const search = async () =>
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      await registration?.update()
      const found = registration?.installing
      await new Promise<void>((resolve) => {
        const check = () => found?.state === 'redundant' && resolve()
        found?.addEventListener('statechange', check)
        check()
      })
    })
  const offer = page.getByRole('button', { name: 'Update now' })
  for (const version of ['half', 'half-again']) {
    await build.deploy(version, { isHalf: true })
    await search()
    expect(await offer.count()).toBe(0)
  }
  await build.deploy('whole')
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await offer.click()
  await page.locator('body[data-version="whole"]').waitFor({ state: 'attached' })
})

test('a first visit, whose page no worker controls yet, is offered a new version too', async () => {
  const ben = await createPerson(server, 'ben', { keepsApp: true })
  onTestFinished(() => ben.close())
  await registerPerson(ben)
  expect(await ben.page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  await build.deploy('early')
  await ben.page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ben.page.getByRole('button', { name: 'Update now' }).click()
  await ben.page.locator('body[data-version="early"]').waitFor({ state: 'attached' })
})

test('P1: a part that went with the replaced version takes nothing from who types, and starts the new one at a click', async () => {
  const other = await ann.openTab('/chat')
  const [search, failures] = [other.getByRole('searchbox'), [] as string[]]
  await other.exposeFunction('recordFailure', (words: string) => failures.push(words))
  await other.evaluate(() =>
    window.addEventListener('vite:preloadError', ({ payload }) => recordFailure(payload.message)),
  )
  await build.deploy('fourth', { without: ['polling', 'settings-route'] })
  await other.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await ann.page.getByRole('button', { name: 'Update now' }).click()
  await ann.page.locator('body[data-version="fourth"]').waitFor({ state: 'attached' })
  await other.getByRole('button', { name: 'Update now' }).waitFor()
  await search.fill('half a wor')
  // Otherwise the browser may still have the part cached.
  const devtools = await other.context().newCDPSession(other)
  await devtools.send('Network.clearBrowserCache')
  ann.network.blockSockets()
  // By the second time the page could have reloaded after the first.
  await expect.poll(() => failures.length).toBeGreaterThan(1)
  expect(failures[0]).toContain('polling')
  expect(await search.inputValue()).toBe('half a wor')

  ann.network.allowSockets()
  await other.getByRole('link', { name: 'Settings' }).click()
  await other.getByRole('link', { name: 'Account' }).click()
  await other.locator('body[data-version="fourth"]').waitFor({ state: 'attached' })
})

test('a page whose part can be fetched from nowhere says so, and leads back to the chats', async () => {
  const { page } = ann
  await page.goto('/settings')
  const problem = page.getByRole('heading', { name: "Couldn't show this page" })
  await problem.waitFor()
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Load again' }).click()
  await loaded
  await problem.waitFor()

  await page.goto('/chat')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Account' }).click()
  await problem.waitFor()
  await page.goBack()
  await page.goBack()
  await page.getByRole('searchbox').waitFor()
  await expect.poll(() => problem.count()).toBe(0)
})

test('P13: Help shows the fingerprint of the app on this device, offline too, and another one for other code', async () => {
  // Nothing is missing in this copy, unlike in the other.
  const build = await copyBuild()
  const server = await startBuiltServer({ dist: build.dist })
  const dora = await createPerson(server, 'dora', { keepsApp: true })
  onTestFinished(async () => {
    await dora.close()
    await server.close()
    await build.remove()
  })
  const { page } = dora
  await registerPerson(dora)
  await waitUntilKept(dora)
  const shown = page.getByRole('group', { name: 'App fingerprint' })
  const read = async () => ((await shown.textContent()) ?? '').replaceAll(' ', '')
  const served = await fingerprint(build.dist)
  await page.goto('/settings')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('fingerprint')
  await page.getByRole('link', { name: 'App fingerprint' }).click()
  expect(await read()).toBe(served)
  expect(await findProblems(page)).toEqual([])

  await build.deploy('with-a-spy')
  const other = await fingerprint(build.dist)
  expect(other).not.toBe(served)
  // What this device runs is what it has, whatever the server gives to others by now.
  await page.reload()
  expect(await read()).toBe(served)
  await dora.goOffline()
  await page.reload()
  expect(await read()).toBe(served)
  await dora.goOnline()
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update()
  })
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Update now' }).click()
  await page.locator('body[data-version="with-a-spy"]').waitFor({ state: 'attached' })
  await page.goto('/settings/help')
  expect(await read()).toBe(other)
})

/** As the README says how: of all that runs but the service worker's own script. */
async function fingerprint(dist: string): Promise<string> {
  const names = await readdir(join(dist, 'app'), { recursive: true })
  const running = names.filter((name) => /\.(js|css|html)$/.test(name) && name !== 'sw.js').sort()
  expect(await readFile(join(dist, 'app/files.txt'), 'utf8')).toBe(`${running.join('\n')}\n`)
  const sum = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const lines = running.map(async (name) => {
    const bytes = new Uint8Array(await readFile(join(dist, 'app', name)))
    return `${sum(bytes)}  ${name}\n`
  })
  return sum((await Promise.all(lines)).join(''))
}
