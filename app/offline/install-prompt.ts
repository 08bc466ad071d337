import type { LiveSource } from '../ui/hooks/use-live-value.ts'

/**
 * `prompt`: the browser can install on a click; `hint`: the person must use the share menu (iOS).
 */
export type InstallWay = 'none' | 'prompt' | 'hint'

export interface InstallOffer extends LiveSource<InstallWay> {
  /** Shows the browser's own prompt. */
  install(): Promise<void>
  /** Hides the offer on this device permanently. */
  dismiss(): void
  close(): void
}

/** Chromium's event, which TypeScript's DOM types lack. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>
}

const dismissedKey = 'install-dismissed'

/** Whether and how this browser can install the app. */
export function createInstallOffer(): InstallOffer {
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  const { signal } = closing
  const isWanted = !isInstalled() && localStorage.getItem(dismissedKey) === null
  let way: InstallWay = isWanted && needsHomeScreenHint() ? 'hint' : 'none'
  let question: InstallPromptEvent | undefined

  function set(next: InstallWay) {
    way = next
    for (const listener of listeners) listener()
  }

  window.addEventListener(
    'beforeinstallprompt',
    (event) => {
      event.preventDefault()
      question = event as InstallPromptEvent
      if (isWanted) set('prompt')
    },
    { signal },
  )
  window.addEventListener('appinstalled', () => set('none'), { signal })

  return {
    getSnapshot: () => way,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async install() {
      set('none')
      await question?.prompt()
    },
    dismiss() {
      localStorage.setItem(dismissedKey, 'yes')
      set('none')
    },
    close: () => closing.abort(),
  }
}

/** Does this page run as an installed app, in its own window? */
function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches || isStandaloneOnApple() === true
}

/**
 * iPhone and iPad browsers install only through the share menu. An iPad reports a Mac, with a touch
 * screen.
 */
function needsHomeScreenHint(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  const isIPad = userAgent.includes('Macintosh') && maxTouchPoints > 1
  return (/iPhone|iPad|iPod/.test(userAgent) || isIPad) && isStandaloneOnApple() === false
}

/** Safari's own property: absent elsewhere. */
function isStandaloneOnApple(): boolean | undefined {
  return (navigator as { standalone?: boolean }).standalone
}
