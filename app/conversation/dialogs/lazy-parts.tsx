import { lazy } from 'react'

/** Components that load on first use. */
export const LazyForwardDialog = lazy(() =>
  import('./forward-dialog.tsx').then((module) => ({ default: module.ForwardDialog })),
)

export const LazyMessageInformationDialog = lazy(() =>
  import('./message-information-dialog.tsx').then((module) => ({
    default: module.MessageInformationDialog,
  })),
)

export const LazyDateDialog = lazy(() =>
  import('./date-dialog.tsx').then((module) => ({ default: module.DateDialog })),
)

export const LazyDeleteDialog = lazy(() =>
  import('./delete-dialog.tsx').then((module) => ({ default: module.DeleteDialog })),
)
