import { lazy, Suspense } from 'react'
import type { AlertDialogProps } from './alert-dialog.tsx'

const AlertDialog = lazy(() =>
  import('./alert-dialog.tsx').then((module) => ({ default: module.AlertDialog })),
)

/** `AlertDialog`, loaded when first shown. */
export function LazyAlertDialog(props: AlertDialogProps) {
  return (
    <Suspense fallback={null}>
      <AlertDialog {...props} />
    </Suspense>
  )
}
