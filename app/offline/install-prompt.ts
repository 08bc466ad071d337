import type { LiveSource } from '../ui/hooks/use-live-value.ts'

/**
 * `prompt`: the browser can install on a click; `hint`: the person must use the share menu (iOS).
 */
export type InstallWay = 'none' | 'prompt' | 'hint'

export interface InstallOffer extends LiveSource<InstallWay> {
  /** How it can be done, whatever the moment: for a place that always offers it. */
  possible: LiveSource<InstallWay>
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
  const possibleListeners = new Set<() => void>()
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

  function readPossible(): InstallWay {
    if (question) return 'prompt'
    return needsHomeScreen() ? 'hint' : 'none'
  }

  function update() {
    for (const listener of possibleListeners) listener()
    const isWanted = !state.isOver && coach.sent >= sentFirst
    if (!isWanted) return set('none')
    set(readPossible())
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
    possible: {
      getSnapshot: readPossible,
      subscribe(listener) {
        possibleListeners.add(listener)
        return () => possibleListeners.delete(listener)
      },
    },
    async install() {
      // A browser's question can be asked once; if it is declined, the browser offers another one later.
      const asked = question
      question = undefined
      finish()
      await asked?.prompt()
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
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || isStandaloneOnApple() === true
}

/**
 * Is this a tab on an iPhone or iPad? There apps are installed through the share menu alone, and
 * only installed ones get notifications. An iPad reports a Mac, with a touch screen.
 */
export function needsHomeScreen(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  const isIPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return (/iPhone|iPad|iPod/.test(userAgent) || isIPad) && isStandaloneOnApple() === false
}

/** Safari's own property: absent elsewhere. */
function isStandaloneOnApple(): boolean | undefined {
  return (navigator as { standalone?: boolean }).standalone
}
