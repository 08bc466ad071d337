import { afterAll, expect, onTestFinished, test } from 'vitest'
import { registerPerson, waitUntilKept } from './account-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer()
const ann = await createPerson(server, 'ann', { keepsApp: true, hasOwnBrowser: true })
const { page } = ann

afterAll(async () => {
  await ann.close()
  await server.close()
})

/** A picture's size as a browser decodes it, in CSS pixels. */
async function measurePicture(address: string) {
  return page.evaluate(async (src) => {
    const picture = new Image()
    picture.src = src
    await picture.decode()
    return `${picture.naturalWidth}x${picture.naturalHeight}`
  }, address)
}

test('the browser is asked never to clear what a person has on this device', async () => {
  const asked: string[] = []
  await page.exposeFunction('recordAsked', (what: string) => asked.push(what))
  await page.addInitScript(() => {
    const { storage } = navigator
    const persist = storage.persist.bind(storage)
    storage.persist = () => {
      recordAsked('persist')
      return persist()
    }
    storage.persisted = async () => false
  })
  await page.goto('/login')
  await page.getByRole('heading', { name: 'Steps to log in' }).waitFor()
  expect(asked).toEqual([])
  await registerPerson(ann)
  await expect.poll(() => asked).toEqual(['persist'])
})

test('a first visit that loses its network has every screen all the same, from the worker that it installed', async () => {
  const ben = await createPerson(server, 'ben', { keepsApp: true })
  onTestFinished(ben.close)
  // Its one page: a second one would be the worker's from the start, if that was quick enough.
  await registerPerson(ben)
  expect(await ben.page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  await ben.goOffline()
  await ben.page.getByRole('link', { name: 'Settings' }).click()
  await ben.page.getByRole('link', { name: 'Account' }).click()
  await ben.page
    .getByRole('button', { name: /password/i })
    .first()
    .waitFor()
})

test('the app can be installed: Chromium finds nothing amiss, and every icon is what the manifest says', async () => {
  await waitUntilKept(ann)
  await page.reload()
  const devtools = await page.context().newCDPSession(page)
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  expect(installabilityErrors).toEqual([])
  const { data = '', errors } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = JSON.parse(data) as {
    display: string
    start_url: string
    icons: { src: string; sizes: string; type: string; purpose?: string }[]
  }
  expect(manifest).toMatchObject({ name: 'Petrel', display: 'standalone', start_url: '/chat' })
  const pictures = manifest.icons.filter(({ sizes }) => sizes !== 'any')
  expect(pictures.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ])
  for (const { src, sizes, type } of pictures) {
    const response = await page.request.get(src)
    expect(response.headers()['content-type']).toBe(type)
    expect(await measurePicture(src)).toBe(sizes)
  }
  const vector = manifest.icons.find(({ sizes }) => sizes === 'any')
  expect(await measurePicture(vector?.src ?? '')).toMatch(/^[1-9]/)
  const apple = await page.locator('link[rel="apple-touch-icon"]').getAttribute('href')
  expect(await measurePicture(apple ?? '')).toBe('180x180')
})

test('a start takes the parts of the app from the cache, and its calls to the network, without the worker', async () => {
  await page.reload()
  const read = (path: string) =>
    page.evaluate(
      (path) =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.startsWith(location.origin + path))
          .map((entry) => String(Reflect.get(entry, 'workerFinalSourceType'))),
      path,
    )
  await expect.poll(() => read('/assets/')).not.toEqual([])
  expect(new Set(await read('/assets/'))).toEqual(new Set(['cache']))
  // An answer counts once it has been read.
  await page.evaluate(async () => {
    for (const path of ['/api/users/me', '/sync/messages', '/poll', '/icons/icon-192.png'])
      await (await fetch(path)).blob()
  })
  await expect.poll(() => read('/api/users/me')).toContain('network')
  await expect.poll(() => read('/sync/messages')).toContain('network')
  await expect.poll(() => read('/poll')).toContain('network')
  // No route names it: the worker answers.
  await expect.poll(() => read('/icons/icon-192.png')).toEqual([''])
})

/** Runs in the page. */
declare function recordAsked(what: string): void
