/**
 * Keeps the app as high as what can be seen. Where the keyboard covers the page instead of making it smaller
 * (Safari on a phone), the composer stays above it.
 */
export function followVisualViewport(): void {
  const viewport = window.visualViewport
  if (!viewport) return
  const { style } = document.documentElement
  const follow = () => {
    // A pinch also changes the visual viewport, and must not squeeze the app.
    if (viewport.scale > 1.01) return
    const isCovered = window.innerHeight - viewport.height > 80
    style.setProperty('--viewport-height', isCovered ? `${viewport.height}px` : '100dvh')
    style.setProperty('--keyboard-closed', isCovered ? '0' : '1')
    // What takes the keyboard's place is as high as it was.
    if (isCovered)
      style.setProperty('--keyboard-height', `${window.innerHeight - viewport.height}px`)
    if (isCovered) window.scrollTo(0, 0)
  }
  viewport.addEventListener('resize', follow)
  viewport.addEventListener('scroll', follow)
  follow()
}
