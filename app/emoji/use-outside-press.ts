import { type RefObject, useEffect } from 'react'
import { useLatest } from '../ui/hooks/use-latest.ts'

/** Reports a press outside all of these elements. */
export function useOutsidePress(
  isOn: boolean,
  inside: readonly RefObject<HTMLElement | null>[],
  onPress: () => void,
): void {
  const latest = useLatest({ inside, onPress })
  useEffect(() => {
    if (!isOn) return
    const onPointerDown = ({ target }: PointerEvent) => {
      const isInside = latest.current.inside.some(
        ({ current }) => target instanceof Node && current?.contains(target),
      )
      if (!isInside) latest.current.onPress()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [isOn, latest])
}
