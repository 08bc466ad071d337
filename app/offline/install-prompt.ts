import type { LiveSource } from '../ui/hooks/use-live-value.ts'
import { isStandaloneOnApple, needsHomeScreen } from './needs-home-screen.ts'

/**
 * `prompt`: the browser can install on a click; `hint`: the person must use the share menu (iOS).
 */
export type InstallWay = 'none' | 'prompt' | 'hint'

export interface InstallOffer extends LiveSource<InstallWay> {
  /** Shows the browser's own prompt. */
  install(): Promise<void>
  /** Hides the offer; after the second time it does not come back. */
  dismiss(): void
  /** The person has sent a message: from the second one on, the moment is good. */
  recordSent(): void
  /** It is on the screen: this counts once for each time the app is opened. */
  recordShown(): void
  close(): void
}

/** Chromium's event, which TypeScript's DOM types lack. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>
}

/** An earlier build's note that it is not wanted. */
const dismissedKey = 'install-dismissed'
/** How many messages were sent, and how often the offer was shown, as two numbers. */
const coachKey = 'install-coach'
const sentFirst = 2
const shownMost = 2

/** Whether and how this browser can install the app, at a good moment and never more than twice. */
export function createInstallOffer(): InstallOffer {
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const { signal } = closing
  const coach = readCoach()
  const isOffered = !isInstalled() && localStorage.getItem(dismissedKey) === null
  /** Of this time that the app is open. */
  const state = { isShown: false, isOver: !isOffered || coach.shown >= shownMost }
  let way: InstallWay = 'none'
  let question: InstallPromptEvent | undefined

  function set(next: InstallWay) {
    if (next === way) return
    way = next
    for (const listener of listeners) listener()
  }

  function update() {
    const isWanted = !state.isOver && coach.sent >= sentFirst
    if (!isWanted) return set('none')
    if (question) return set('prompt')
    set(needsHomeScreen() ? 'hint' : 'none')
  }

  function finish() {
    state.isOver = true
    update()
  }

  window.addEventListener(
    'beforeinstallprompt',
    (event) => {
      event.preventDefault()
      question = event as InstallPromptEvent
      update()
    },
    { signal },
  )
  window.addEventListener('appinstalled', finish, { signal })
  update()

  return {
    getSnapshot: () => way,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async install() {
      finish()
      await question?.prompt()
    },
    dismiss: finish,
    recordSent() {
      if (coach.sent >= sentFirst) return
      coach.sent += 1
      keepCoach(coach)
      update()
    },
    recordShown() {
      if (state.isShown) return
      state.isShown = true
      coach.shown += 1
      keepCoach(coach)
    },
    close: () => closing.abort(),
  }
}

function readCoach(): { sent: number; shown: number } {
  const [sent = 0, shown = 0] = (localStorage.getItem(coachKey) ?? '').split(' ').map(Number)
  return { sent: sent || 0, shown: shown || 0 }
}

function keepCoach({ sent, shown }: { sent: number; shown: number }) {
  try {
    localStorage.setItem(coachKey, `${sent} ${shown}`)
  } catch {
    // A device that cannot keep it counts with the page.
  }
}

/** Does this page run as an installed app, in its own window? */
function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || isStandaloneOnApple() === true
}
