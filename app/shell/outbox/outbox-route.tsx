import { useEffect, useRef, useState } from 'react'
import type { OutboxView } from '../../sync/outbox/outbox-types.ts'
import { useKeptFocus } from '../../ui/layers/use-kept-focus.ts'
import { Page } from '../../ui/layout/page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { UndoSnackbar } from '../notices/undo-snackbar.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { OutboxList } from './outbox-list.tsx'
import { SyncStatus } from './sync-status.tsx'

/** Everything that waits or was refused, over all chats. */
export function OutboxRoute() {
  const messenger = useMessenger()
  const goUp = useWayUp()
  const [view, setView] = useState<OutboxView>()
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list, 'li')
  useEffect(() => {
    let isOver = false
    let opened: OutboxView | undefined
    void messenger.openOutbox().then((view) => {
      opened = view
      if (isOver) view.close()
      else setView(view)
    })
    return () => {
      isOver = true
      opened?.close()
    }
  }, [messenger])
  return (
    <PageFrame section="outbox" title="Outbox">
      <Page title="Outbox" backLabel="Back to chats" onBack={() => goUp({ to: '/chat' })}>
        <SyncStatus messenger={messenger} />
        <div ref={list}>{view && <OutboxList view={view} messenger={messenger} />}</div>
      </Page>
      <UndoSnackbar isOverList />
    </PageFrame>
  )
}
