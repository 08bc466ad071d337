import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { LazyConfirmDialog } from '../../ui/dialogs/lazy-confirm-dialog.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { describeLoss, isLoss, type Loss, nameLoss } from './describe-loss.ts'

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
