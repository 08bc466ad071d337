import type { Page } from 'playwright-core'
import { inspectPage } from './inspect-page.ts'
import { type BestPractice, bestPracticeWeights } from './lighthouse-weights.ts'
import { type Score, scoreAudits } from './score-audits.ts'

declare global {
  /** The page's permission requests since it was opened. */
  var askedOnStart: string[]
}

/**
 * Lighthouse's best-practice audits, by the same means: Chromium's reports during the load, and an
 * inspection of the page. `open` navigates there and resolves when it is shown.
 */
export async function auditBestPractices(page: Page, open: () => Promise<void>): Promise<Score> {
  const session = await page.context().newCDPSession(page)
  // Enabling replays reports about the previous page: only then add the listener.
  for (const domain of ['Log', 'Runtime', 'Audits', 'Network'] as const) {
    await session.send(`${domain}.enable`)
  }
  await page.addInitScript(recordRequestsOnStart)
  const errors: string[] = []
  const issues: string[] = []
  const addresses: string[] = []
  session.on('Log.entryAdded', ({ entry }) => {
    if (entry.level === 'error') errors.push(entry.text)
  })
  session.on('Runtime.exceptionThrown', ({ exceptionDetails }) =>
    errors.push(exceptionDetails.text),
  )
  session.on('Runtime.consoleAPICalled', ({ type }) => type === 'error' && errors.push(type))
  session.on('Audits.issueAdded', ({ issue }) => issues.push(issue.code))
  session.on('Network.requestWillBeSent', ({ request }) => addresses.push(request.url))
  await open()
  const origin = new URL(page.url()).origin
  const cookies = await page.context().cookies()
  const isDeprecation = (code: string) => code === 'DeprecationIssue'
  const passed: Record<BestPractice, boolean> = {
    ...(await page.evaluate(inspectPage)),
    'is-on-https': addresses.every(isSecure),
    deprecations: !issues.some(isDeprecation),
    'third-party-cookies': cookies.every(({ domain }) => domain === new URL(origin).hostname),
    'geolocation-or-notification-on-start': await page.evaluate(() => askedOnStart.length === 0),
    'errors-in-console': errors.length === 0,
    'inspector-issues': issues.every(isDeprecation),
  }
  await session.detach()
  return scoreAudits(passed, bestPracticeWeights)
}

/** As browsers see it: localhost is secure. */
function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  if (!['http:', 'ws:'].includes(protocol)) return true
  return hostname === 'localhost' || hostname === '127.0.0.1'
}

/** An init script: records requests for notifications or the location before any user input. */
function recordRequestsOnStart() {
  const asked: string[] = []
  globalThis.askedOnStart = asked
  function note<Thing extends object>(thing: Thing, name: keyof Thing & string) {
    const original: unknown = thing[name]
    if (typeof original !== 'function') return
    const noted = new Proxy(original, {
      apply(target, self, given) {
        asked.push(name)
        return Reflect.apply(target as () => unknown, self, given)
      },
    })
    Object.defineProperty(thing, name, { value: noted })
  }
  if ('Notification' in globalThis) note(Notification, 'requestPermission')
  note(Geolocation.prototype, 'getCurrentPosition')
  note(Geolocation.prototype, 'watchPosition')
}
