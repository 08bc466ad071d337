/**
 * Keeps the app as high as the visible area. Where the keyboard covers the page instead of
 * shrinking it (Safari on phones), the composer stays above it.
 */
export function followVisualViewport(): void {
  const viewport = window.visualViewport
  if (!viewport) return
  const { style } = document.documentElement
  const follow = () => {
    // A pinch also changes the visual viewport, and must not shrink the app.
    if (viewport.scale > 1.01) return
    const isCovered = window.innerHeight - viewport.height > 80
    style.setProperty('--viewport-height', isCovered ? `${viewport.height}px` : '100dvh')
    style.setProperty('--keyboard-closed', isCovered ? '0' : '1')
    // A panel that replaces the keyboard gets the keyboard's height.
    if (isCovered)
      style.setProperty('--keyboard-height', `${window.innerHeight - viewport.height}px`)
    if (isCovered) window.scrollTo(0, 0)
  }
  viewport.addEventListener('resize', follow)
  viewport.addEventListener('scroll', follow)
  follow()
}
