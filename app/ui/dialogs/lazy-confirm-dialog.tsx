import { lazy, Suspense } from 'react'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'

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
