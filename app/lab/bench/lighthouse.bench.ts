import type { Page } from 'playwright-core'
import { readSession, registerPerson } from '../browser/account-steps.ts'
import { chatRow, composer } from '../browser/chat-steps.ts'
import { type BrowserPerson, createPerson } from '../browser/person.ts'
import { type BuiltServer, startBuiltServer } from '../browser/start-built-server.ts'
import { type Account, pushMessages, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { auditAccessibility } from './lighthouse/audit-accessibility.ts'
import { auditBestPractices } from './lighthouse/audit-best-practices.ts'
import type { Score } from './lighthouse/score-audits.ts'
import { measuredBrowser } from './page/measured-browser.ts'

const devices = {
  phone: { viewport: { width: 412, height: 823 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1350, height: 940 } },
} as const
type Device = keyof typeof devices

interface Screen {
  name: string
  path: string
  isShown(page: Page): Promise<void>
}

/** Lighthouse's offline audits of the main screens, as a phone and as a desktop. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer()
  const ben = await registerAccount(server.origin, 'ben')
  const figures: Figure[] = []
  for (const device of ['phone', 'desktop'] as const) {
    figures.push(...(await measureDevice(server, ben, device)))
  }
  await server.close()
  return figures
}

async function measureDevice(server: BuiltServer, ben: Account, device: Device): Promise<Figure[]> {
  const ann = await createPerson(server, `ann-${device}`, {
    ...measuredBrowser,
    hasFirstLoad: true,
    ...devices[device],
  })
  const figures = await measureScreens(ann.page, device, [signIn])
  await registerPerson(ann)
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: ben, recipientId, count: 30 })
  await ann.page.getByText('Loading your chats').waitFor({ state: 'detached' })
  figures.push(...(await measureScreens(ann.page, device, listScreens(ann, ben))))
  await ann.close()
  return figures
}

async function measureScreens(page: Page, device: Device, screens: readonly Screen[]) {
  const figures: Figure[] = []
  for (const { name, path, isShown } of screens) {
    const bestPractices = await auditBestPractices(page, async () => {
      await page.goto(path)
      await isShown(page)
    })
    const accessibility = await auditAccessibility(page)
    const where = `${name}, ${device}`
    figures.push(toFigure(`accessibility, ${where}`, accessibility))
    figures.push(toFigure(`best practices, ${where}`, bestPractices))
  }
  return figures
}

const signIn: Screen = {
  name: 'sign-in',
  path: '/login',
  isShown: (page) =>
    page.getByRole('button', { name: /^(Log in with phone number|Sign in)$/ }).waitFor(),
}

function listScreens(ann: BrowserPerson, ben: Account): Screen[] {
  return [
    { name: 'list', path: '/chat', isShown: (page) => chatRow(page, 'ben').waitFor() },
    {
      name: 'conversation',
      path: `/chat/${ben.userId}`,
      async isShown(page) {
        await composer(page).waitFor()
        await page.getByRole('article').first().waitFor()
      },
    },
    {
      name: 'profile',
      path: '/profile',
      isShown: (page) => page.getByText(ann.email).waitFor(),
    },
    {
      name: 'settings',
      path: '/settings',
      isShown: (page) => page.getByRole('link', { name: 'Storage and Data' }).waitFor(),
    },
  ]
}

function toFigure(what: string, { points, failed }: Score): Figure {
  return {
    what: failed.length === 0 ? what : `${what} (${failed.join(', ')})`,
    value: points,
    unit: 'points',
    target: { atLeast: 95 },
  }
}
