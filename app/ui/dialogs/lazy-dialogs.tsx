import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { AlertDialogProps } from './alert-dialog.tsx'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'

const AlertDialog = lazy(() =>
  import('./alert-dialog.tsx').then((module) => ({ default: module.AlertDialog })),
)

const loadConfirmDialog = () =>
  import('./confirm-dialog.tsx').then((module) => ({ default: module.ConfirmDialog }))
const ConfirmDialog = lazy(loadConfirmDialog)

/** `ConfirmDialog`, loaded when first shown. */
export function LazyConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Suspense fallback={null}>
      <ConfirmDialog {...props} />
    </Suspense>
  )
}

/** `AlertDialog`, loaded when first shown. */
export function LazyAlertDialog(props: AlertDialogProps) {
  return (
    <Suspense fallback={null}>
      <AlertDialog {...props} />
    </Suspense>
  )
}

/**
 * For an action that the device may fail to store, as on a full disk. Render `failure` anywhere.
 */
export function useAttempt(): {
  /** @param words what failed, as a sentence without its full stop */
  attempt(work: Promise<unknown>, words: string): void
  failure: ReactNode
} {
  const [text, setText] = useState<string>()
  return {
    attempt: (work, words) => void work.catch(() => setText(`${words}. Please try again.`)),
    failure: text && <LazyAlertDialog text={text} onClose={() => setText(undefined)} />,
  }
}
