import { lazy, Suspense, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { isComposing } from '../../ui/forms/insert-text.ts'
import { isShortcut, type ShortcutName, shortcuts } from '../../ui/hooks/shortcuts.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { findOverlay } from '../../ui/layers/find-focus-path.ts'
import { readChatPlace } from './read-chat-place.ts'

const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((module) => ({ default: module.ShortcutsDialog })),
)

type Keys = Partial<Record<ShortcutName, () => void>>

/** The shortcuts that work on every screen. Those of a field, list or message are with it. */
export function ShortcutKeys({ messenger }: { messenger: Messenger }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [isListed, setIsListed] = useState(false)
  const { commands, undo } = messenger
  const openPeerId = pathname.startsWith('/chat') ? readChatPlace(pathname)?.peerId : undefined
  const rows = messenger.conversations.getSnapshot

  function step(by: 1 | -1) {
    const listed = rows().filter((row) => !row.isArchived)
    const now = listed.findIndex(({ peerId }) => peerId === openPeerId)
    const next = now === -1 ? listed[0] : listed[now + by]
    if (next) void navigate(`/chat/${next.peerId}`)
  }

  /** Acts on the chat whose row has the focus, else on the open one. */
  function act(run: (row: ReturnType<typeof rows>[number]) => unknown) {
    const peerId = findFocusedPeerId() ?? openPeerId
    const row = rows().find((each) => each.peerId === peerId)
    if (row) void run(row)
  }

  const keys: Keys = {
    newChat() {
      if (focusSearch()) return
      void navigate('/chat')
      focusSearchSoon()
    },
    nextChat: () => step(1),
    previousChat: () => step(-1),
    mute: () => act(({ peerId, isMuted }) => commands.setMuted(peerId, !isMuted)),
    archive: () => act(({ peerId, isArchived }) => undo.setArchived(peerId, !isArchived)),
    read: () => act(({ peerId }) => commands.markRead(peerId)),
    settings: () => void navigate('/settings'),
    help: () => setIsListed(true),
  }
  useKeys(keys)
  if (!isListed) return null
  return (
    <Suspense fallback={null}>
      <ShortcutsDialog onClose={() => setIsListed(false)} />
    </Suspense>
  )
}

function useKeys(keys: Keys) {
  const latest = useLatest(keys)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isComposing(event) || findOverlay()) return
      const name = (Object.keys(shortcuts) as ShortcutName[]).find((each) =>
        isShortcut(event, each),
      )
      const run = name && latest.current[name]
      if (!run || (name === 'help' && isField(event.target))) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [latest])
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
}

function findFocusedPeerId(): string | undefined {
  const href = document.activeElement?.closest('a[href^="/chat/"]')?.getAttribute('href')
  return href ? readChatPlace(href)?.peerId : undefined
}

/** The list draws first, on a slow device some frames later. */
function focusSearchSoon(frames = 120) {
  requestAnimationFrame(() => {
    if (!focusSearch() && frames > 0) focusSearchSoon(frames - 1)
  })
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('search input[name="search"]')
  if (!field?.checkVisibility({ visibilityProperty: true })) return false
  field.focus()
  return true
}
