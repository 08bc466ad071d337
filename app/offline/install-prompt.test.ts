import { afterEach, expect, test, vi } from 'vitest'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { createInstallOffer } from './install-prompt.ts'

afterEach(() => vi.unstubAllGlobals())

const iPhone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)', standalone: false }
const laptop = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140', maxTouchPoints: 0 }

/** A browser that keeps its texts while the app is opened several times. */
function startBrowser(navigator: object) {
  const texts = createKeyValueStorage()
  return {
    texts,
    open() {
      const page = new EventTarget()
      vi.stubGlobal('localStorage', texts)
      vi.stubGlobal('navigator', navigator)
      vi.stubGlobal('window', page)
      vi.stubGlobal('matchMedia', () => ({ matches: false }))
      const offer = createInstallOffer()
      const prompt = vi.fn(async () => {})
      const mayInstall = () =>
        page.dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt }))
      return { offer, prompt, mayInstall, page }
    },
  }
}

test('the offer waits for the second message, and then shows the prompt of the browser', async () => {
  const { offer, prompt, mayInstall } = startBrowser(laptop).open()
  mayInstall()
  offer.recordSent()
  expect(offer.getSnapshot()).toBe('none')
  offer.recordSent()
  expect(offer.getSnapshot()).toBe('prompt')
  await offer.install()
  expect(prompt).toHaveBeenCalledTimes(1)
  expect(offer.getSnapshot()).toBe('none')
})

test('a place that always offers it has the prompt at once, and each of them once', async () => {
  const { offer, prompt, mayInstall } = startBrowser(laptop).open()
  expect(offer.possible.getSnapshot()).toBe('none')
  const heard = vi.fn()
  offer.possible.subscribe(heard)
  mayInstall()
  expect(heard).toHaveBeenCalled()
  expect(offer.possible.getSnapshot()).toBe('prompt')
  await offer.install()
  expect(prompt).toHaveBeenCalledTimes(1)
  expect(offer.possible.getSnapshot()).toBe('none')
  expect(startBrowser(iPhone).open().offer.possible.getSnapshot()).toBe('hint')
})

test('without a prompt nothing is offered, and on an iPhone the steps are', () => {
  for (const [navigator, way] of [
    [laptop, 'none'],
    [iPhone, 'hint'],
  ] as const) {
    const { offer } = startBrowser(navigator).open()
    offer.recordSent()
    offer.recordSent()
    expect(offer.getSnapshot()).toBe(way)
  }
})

test('it is shown twice, and never again', () => {
  const browser = startBrowser(iPhone)
  const ways = [1, 2, 3].map(() => {
    const { offer } = browser.open()
    offer.recordSent()
    offer.recordSent()
    const way = offer.getSnapshot()
    if (way !== 'none') offer.recordShown()
    offer.dismiss()
    expect(offer.getSnapshot()).toBe('none')
    offer.close()
    return way
  })
  expect(ways).toEqual(['hint', 'hint', 'none'])
})

test('who has said no to an earlier build is not asked again', () => {
  const browser = startBrowser(iPhone)
  browser.texts.setItem('install-dismissed', 'yes')
  const { offer } = browser.open()
  offer.recordSent()
  offer.recordSent()
  expect(offer.getSnapshot()).toBe('none')
})

test('an app that is being installed offers nothing more', () => {
  const { offer, mayInstall, page } = startBrowser(laptop).open()
  mayInstall()
  offer.recordSent()
  offer.recordSent()
  page.dispatchEvent(new Event('appinstalled'))
  expect(offer.getSnapshot()).toBe('none')
})
