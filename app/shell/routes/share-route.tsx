import { useMemo, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { SharePage } from '../../offline/share-page.tsx'
import type { SharedItem } from '../../offline/shared-item.ts'
import { createSharedItems } from '../../offline/shared-items.ts'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useSharedItems } from '../notices/use-shared-items.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const lostWords = new Map([
  [
    'not-kept',
    "This device couldn't keep what you shared. Free up some space, then share it again.",
  ],
  ['not-received', "Petrel wasn't ready to take what you shared. Share it again."],
])

const notDiscardedWords = "This device couldn't remove it. Try again."

/** Puts an item shared by another app into the chat that the person chooses. */
export function ShareRoute() {
  const messenger = useMessenger()
  const { userId } = messenger
  const { search } = useLocation()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const items = useMemo(() => createSharedItems({ userId }), [userId])
  const { list, problem } = useSharedItems(items)
  const item = list?.[0]
  const isChosen = useRef(false)
  const [isStuck, setIsStuck] = useState(false)
  const lost = lostWords.get(new URLSearchParams(search).get('problem') ?? '')

  /**
   * Files wait until they are sent; a text becomes the chat's draft immediately, which survives a
   * reload.
   */
  async function choose(chosen: SharedItem, peerId: string) {
    // A double click would insert it twice.
    if (isChosen.current) return
    isChosen.current = true
    const path = `/chat/${peerId}`
    if (chosen.files.length > 0) {
      return await navigate(path, { replace: true, state: { sharedId: chosen.id } })
    }
    const before = messenger.drafts.begin(peerId).text
    messenger.drafts.set(peerId, before ? `${before}\n${chosen.text}` : chosen.text)
    // The text is a draft by now: at worst the app offers it once more.
    await items.discard(chosen.id).catch(() => {})
    await navigate(path, { replace: true })
  }

  async function discard(id: string) {
    try {
      await items.discard(id)
    } catch {
      return setIsStuck(true)
    }
    if (list?.length === 1) await navigate('/chat', { replace: true })
  }

  if (!list && !problem) return null
  return (
    <PageFrame section="chats" title="Share to…">
      <SharePage
        key={item?.id ?? 'none'}
        messenger={messenger}
        item={item}
        problem={isStuck ? notDiscardedWords : (lost ?? problem)}
        onChoose={(peerId) => item && void choose(item, peerId)}
        onDiscard={() => item && void discard(item.id)}
        onBack={() => goUp({ to: '/chat' })}
      />
    </PageFrame>
  )
}
