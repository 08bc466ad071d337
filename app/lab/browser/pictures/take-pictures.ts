import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../../.run/find-chromium.mjs'
import { openTestSocket } from '../../../../sync-server/testing/open-test-socket.ts'
import { signIn } from '../account-steps.ts'
import { openCrew } from './stage/open-crew.ts'
import { openStage, type Stage, type Width } from './stage/open-stage.ts'
import { startStoryServer } from './stage/start-story-server.ts'
import { tellStory } from './stage/tell-story.ts'
import { takeChatSearch } from './states/take-chat-search.ts'
import { takeConversation } from './states/take-conversation.ts'
import { takeEmoji } from './states/take-emoji.ts'
import { takeFailed } from './states/take-failed.ts'
import { takeFiles } from './states/take-files.ts'
import { takeGroup } from './states/take-group.ts'
import { takeList } from './states/take-list.ts'
import { takeMedia } from './states/take-media.ts'
import { takeOffline } from './states/take-offline.ts'
import { takeProfile } from './states/take-profile.ts'
import { takeRegistration } from './states/take-registration.ts'
import { takeReply } from './states/take-reply.ts'
import { takeSearch } from './states/take-search.ts'
import { takeSelection } from './states/take-selection.ts'
import { takeSettings } from './states/take-settings.ts'
import { takeShare } from './states/take-share.ts'
import { takeSignIn } from './states/take-sign-in.ts'
import { takeSignInForm } from './states/take-sign-in-form.ts'
import { takeStarred } from './states/take-starred.ts'
import { takeStorage } from './states/take-storage.ts'
import { takeVoice } from './states/take-voice.ts'
import { takeWaitingFiles } from './states/take-waiting-files.ts'

const quality = 0.8

const folder = fileURLToPath(new URL('../../../../dist/pictures/', import.meta.url))
const shownFolder = fileURLToPath(new URL('../../../../.github/pictures/', import.meta.url))
/** The README's pictures. */
const shown = [
  'conversation-light-1280',
  'offline-dark-1280',
  'list-light-390',
  'conversation-dark-390',
  'group-light-1280',
  'group-info-dark-390',
]
const widths: readonly Width[] = [1280, 390]
const asVisitor = [takeSignIn, takeRegistration, takeSignInForm]
const signedIn = [
  takeList,
  takeSearch,
  takeConversation,
  takeReply,
  takeSelection,
  takeChatSearch,
  takeFailed,
  takeStarred,
  takeProfile,
  takeSettings,
  takeShare,
  // They send messages, so they come after pictures of the original chats.
  takeFiles,
  takeWaitingFiles,
  takeVoice,
  takeEmoji,
  takeMedia,
  takeStorage,
  takeOffline,
]
const wanted = process.argv.slice(2)
const failed: string[] = []
const begunAt = Date.now()

/** Takes pictures of every main state, or of the named ones, in both themes and both widths. */
const server = await startStoryServer()
const people = await tellStory(server)
const ben = await openTestSocket({ url: server.origin, token: people.ben.token })
await mkdir(folder, { recursive: true })
for (const width of widths) {
  const stage = await openStage({ server, people, ben, width, folder })
  await takeAll(stage, asVisitor)
  await arrive(stage)
  await takeAll(stage, signedIn)
  await stage.close()
}
// Their devices give them keys, which would put a sign beside all that was written before.
const crew = await openCrew(server, people)
for (const width of widths) {
  const stage = await openStage({ server, people, ben, width, folder })
  await arrive(stage)
  await takeAll(stage, [takeGroup])
  await stage.close()
}
if (failed.length === 0) await publish()
ben.socket.close()
await crew.close()
await server.close()
if (failed.length > 0) {
  process.stderr.write(`Not taken: ${failed.join(', ')}. The README keeps its pictures.\n`)
}
// The browser that all people share would keep the process alive.
process.exit(failed.length > 0 ? 1 : 0)

async function arrive({ ann, page }: Stage) {
  await page.goto('/login')
  // The install offer has been shown as often as it may be.
  await page.evaluate(() => localStorage.setItem('install-coach', '2 2'))
  await page.reload()
  await signIn(ann)
}

async function takeAll(stage: Stage, states: readonly ((stage: Stage) => Promise<void>)[]) {
  for (const take of states) {
    if (wanted.length > 0 && !wanted.some((name) => take.name.includes(name))) continue
    // One screen that has changed costs its own pictures, not all that follow.
    await take(stage).catch((cause: unknown) => {
      const name = `${take.name} at ${stage.isPhone ? 390 : 1280}`
      failed.push(name)
      process.stderr.write(`${name}: ${cause}\n`)
    })
  }
}

async function publish() {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
  const page = await browser.newPage()
  for (const name of shown) {
    const [from, to] = [`${folder}${name}.png`, `${shownFolder}${name}.webp`]
    // One that this run has not taken stays as it is.
    if (((await stat(from).catch(() => undefined))?.mtimeMs ?? 0) < begunAt) continue
    await compressPicture(page, { from, to })
  }
  await browser.close()
}

/** Converts a PNG file to WebP in the browser. */
async function compressPicture(page: Page, { from, to }: { from: string; to: string }) {
  const source = `data:image/png;base64,${(await readFile(from)).toString('base64')}`
  const picture = await page.evaluate(
    async ({ source, quality }) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality })
      return [...new Uint8Array(await blob.arrayBuffer())]
    },
    { source, quality },
  )
  await writeFile(to, Uint8Array.from(picture))
}
