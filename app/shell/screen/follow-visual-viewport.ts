/** Less is a bar of the browser's, not a keyboard. px */
const keyboardAtLeast = 120

/**
 * Keeps the app as high as the visible area, and notes how tall the keyboard was, for a panel that takes its place. Where
 * the keyboard covers the page instead of shrinking it (Safari on phones), the composer stays above it.
 */
export function followVisualViewport(): void {
  const viewport = window.visualViewport
  if (!viewport) return
  const { style } = document.documentElement
  /** The page's size without a keyboard: most browsers shrink the page for it, and tell nothing else. */
  const whole = { width: window.innerWidth, height: window.innerHeight }
  const follow = () => {
    // A pinch also changes the visual viewport, and must not shrink the app.
    if (viewport.scale > 1.01) return
    const { innerWidth, innerHeight } = window
    const isCovered = innerHeight - viewport.height > 80
    style.setProperty('--viewport-height', isCovered ? `${viewport.height}px` : '100dvh')
    style.setProperty('--keyboard-closed', isCovered ? '0' : '1')
    const isTurned = innerWidth !== whole.width
    if (isTurned || innerHeight > whole.height || !isWriting()) {
      Object.assign(whole, { width: innerWidth, height: innerHeight })
    }
    const keyboard = whole.height - viewport.height
    if (keyboard > keyboardAtLeast) style.setProperty('--keyboard-height', `${keyboard}px`)
    if (isCovered) window.scrollTo(0, 0)
  }
  viewport.addEventListener('resize', follow)
  viewport.addEventListener('scroll', follow)
  follow()
}

function isWriting(): boolean {
  const { activeElement } = document
  return activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement
}
