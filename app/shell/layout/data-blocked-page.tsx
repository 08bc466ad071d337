import { FullScreenProblem } from '../../ui/layout/page.tsx'
import { productName } from '../../ui/product.ts'

/** Replaces the app in browsers that block site data. */
export function DataBlockedPage() {
  return (
    <FullScreenProblem
      title="Site data is blocked"
      text={`${productName} keeps your chats on this device, and your browser doesn't allow it here. Allow site data (cookies) for this page in the browser's settings, or leave private browsing. Then load it again.`}
      actionLabel="Load again"
      onAction={() => location.reload()}
    />
  )
}
