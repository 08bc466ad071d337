import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { LazyConfirmDialog } from '../../ui/dialogs/lazy-dialogs.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'

/** The limit for counting: with hanging storage the loss stays unknown. */
const countMs = 3_000
const countAgainMs = 1_000

/**
 * Asks before signing out: that removes this person's data from the device, unsent messages and
 * drafts included.
 */
export function SignOutDialog({ onClose }: { onClose(): void }) {
  const messenger = useMessenger()
  const { signOut } = useServices()
  const navigate = useNavigate()
  const [loss, setLoss] = useState<Loss>()
  useEffect(() => {
    const open = { isClosed: false, timer: setTimeout(count, 0) }
    // Counts again while the dialog is open: a message sent meanwhile is no longer lost.
    async function count() {
      const found = await findLoss(messenger)
      if (open.isClosed) return
      setLoss((now) => (now && describeLoss(now) === describeLoss(found) ? now : found))
      if (isLoss(found)) open.timer = setTimeout(count, countAgainMs)
    }
    return () => {
      open.isClosed = true
      clearTimeout(open.timer)
    }
  }, [messenger])
  // The person can confirm only once the loss is known.
  if (!loss) return null
  return (
    <LazyConfirmDialog
      title="Log out?"
      text={describeLoss(loss)}
      confirmLabel={nameLoss(loss)}
      isDanger={isLoss(loss)}
      onConfirm={() => {
        signOut(messenger)
        // The next person starts at the home page, not where this person was.
        void navigate('/login', { replace: true })
      }}
      onClose={onClose}
    />
  )
}

async function findLoss(messenger: Messenger): Promise<Loss> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), countMs))
  const count = (counting: Promise<number>) => Promise.race([counting, late]).catch(() => undefined)
  const [unsentCount, recordingCount, sharedCount] = await Promise.all([
    count(messenger.countUnsent()),
    count(messenger.openVoiceDrafts().then((recordings) => recordings.count())),
    count(countShared(messenger)),
  ])
  const isUnknown = recordingCount === undefined || sharedCount === undefined
  return {
    unsentCount: isUnknown ? undefined : unsentCount,
    draftCount: messenger.drafts.count(),
    recordingCount: recordingCount ?? 0,
    sharedCount: sharedCount ?? 0,
  }
}

async function countShared({ userId }: Messenger): Promise<number> {
  const { createSharedItems } = await import('../../offline/shared-items.ts')
  return (await createSharedItems({ userId }).list()).length
}

export interface Loss {
  /** Changes that the server does not have; undefined if the device could not count them. */
  unsentCount: number | undefined
  /** Chats with a draft. */
  draftCount: number
  /** Recorded, unsent voice messages. */
  recordingCount: number
  /** Unsent items shared from other apps. */
  sharedCount: number
}

/** Describes what logging out would lose. */
export function describeLoss(loss: Loss): string {
  const { unsentCount } = loss
  if (unsentCount === undefined) {
    return "Petrel couldn't check whether everything was sent. What wasn't, and your drafts, would be lost."
  }
  const kept = listKept(loss)
  if (unsentCount === 0 && kept.length === 0) {
    return 'Your chats will be removed from this device and return when you sign in.'
  }
  const things = joinWords(kept)
  if (unsentCount === 0) {
    const them = kept.length === 1 ? 'it' : 'them'
    const save = loss.draftCount > 0 ? 'Send or copy' : 'Send'
    return `You have ${things} that would be lost. ${save} ${them} first, or log out now.`
  }
  const waiting = unsentCount === 1 ? "1 change hasn't" : `${unsentCount} changes haven't`
  const all = kept.length > 1 ? 'All of it' : 'Both'
  const alsoKept = kept.length > 0 ? `, and you have ${things}. ${all}` : ' and'
  const sent = unsentCount === 1 ? 'it is' : 'they are'
  return `${waiting} been sent yet${alsoKept} would be lost. Wait until ${sent} sent, or log out now.`
}

/** What the button says that logs out all the same. */
export function nameLoss(loss: Loss): string {
  const { unsentCount, draftCount, recordingCount, sharedCount } = loss
  if (!isLoss(loss)) return 'Log out'
  const isOne =
    unsentCount !== undefined && unsentCount + draftCount + recordingCount + sharedCount === 1
  return `Log out and lose ${isOne ? 'it' : 'them'}`
}

export function isLoss(loss: Loss): boolean {
  return loss.unsentCount !== 0 || listKept(loss).length > 0
}

function joinWords(words: readonly string[]): string {
  const [last = '', ...others] = [...words].reverse()
  return others.length > 0 ? `${others.reverse().join(', ')} and ${last}` : last
}

/** Lists the data that only this device has. */
function listKept({ draftCount, recordingCount, sharedCount }: Loss): string[] {
  const kept: string[] = []
  if (draftCount > 0) {
    kept.push(draftCount === 1 ? 'a draft in 1 chat' : `drafts in ${draftCount} chats`)
  }
  if (recordingCount > 0) {
    kept.push(
      recordingCount === 1 ? '1 unsent voice message' : `${recordingCount} unsent voice messages`,
    )
  }
  if (sharedCount > 0) {
    kept.push(sharedCount === 1 ? '1 unsent share' : `${sharedCount} unsent shares`)
  }
  return kept
}
