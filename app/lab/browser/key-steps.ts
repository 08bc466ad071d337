import type { Locator, Page } from 'playwright-core'
import type { BrowserPerson } from './person.ts'

/** Registers by the form, which makes the person's keys; ends on the conversation list. */
export async function registerWithKeys({ page, username, email, password }: BrowserPerson) {
  await page.goto('/register')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email Address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/chat')
  await page.locator('input[type="search"]').waitFor()
}

/** Takes the keys off this device, as if they had never come; ends on Settings → Security. */
export async function loseKeys(page: Page) {
  await page.evaluate(async () => {
    const { _id } = JSON.parse(localStorage.getItem('user') ?? '{}')
    const opening = indexedDB.open(`petrel-${_id}-device`)
    const store = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result)
    })
    const emptying = store.transaction('keyring', 'readwrite')
    emptying.objectStore('keyring').clear()
    await new Promise((resolve) => {
      emptying.oncomplete = resolve
    })
    store.close()
  })
  await page.goto('/settings/security')
  await page.getByRole('heading', { name: 'Locked messages' }).waitFor()
}

/** The picture of a code, as its file would be. */
export function readPicture(code: Locator): Promise<string> {
  return code.evaluate((shown) => {
    const drawn = shown.cloneNode(true) as Element
    drawn.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
    drawn.setAttribute('width', '360')
    drawn.setAttribute('height', '360')
    return drawn.outerHTML
  })
}

/** From then on the page's camera sees this picture of a code. */
export async function holdBeforeCamera(page: Page, svg: string) {
  await page.evaluate(async (drawn) => {
    const picture = new Image()
    picture.src = URL.createObjectURL(new Blob([drawn], { type: 'image/svg+xml' }))
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 480
    canvas.height = 480
    const context = canvas.getContext('2d')
    const draw = () => {
      if (!context) return
      context.fillStyle = '#fff'
      context.fillRect(0, 0, 480, 480)
      context.drawImage(picture, 60, 60, 360, 360)
      requestAnimationFrame(draw)
    }
    draw()
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(10)
  }, svg)
}
