import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger.ts'
import { useLatest } from '../../ui/use-latest.ts'
import type { NotificationChoice } from './create-notification-choice.ts'

/** Tells of messages while nobody looks; its code is fetched after the screen is drawn. */
export function useNotifier(messenger: Messenger, choice: NotificationChoice): void {
  const navigate = useLatest(useNavigate())
  useEffect(() => {
    const watch = { isOver: false }
    const notifier = import('./create-notifier.ts').then(({ createNotifier }) =>
      watch.isOver
        ? undefined
        : createNotifier({
            messenger,
            isWanted: () => choice.getSnapshot() === 'on',
            openPath: (path) => void navigate.current(path),
          }),
    )
    notifier.catch(() => {})
    return () => {
      watch.isOver = true
      notifier.then((notifier) => notifier?.close()).catch(() => {})
    }
  }, [messenger, choice, navigate])
}
