import { type ComponentType, useEffect, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { logProblem } from '../../ui/product.ts'
import type { EmojiData } from '../catalogue/emoji-data.ts'
import { loadEmojiData } from '../catalogue/load-emoji-data.ts'
import type { EmojiPickerProps } from './emoji-picker.tsx'

/** The picker, once wanted and loaded. If loading fails, shows nothing but one line of text. */
export function usePicker(isWanted: boolean, onFailure: () => void): LoadedPicker | undefined {
  const [loaded, setLoaded] = useState<LoadedPicker>()
  const latest = useLatest(onFailure)
  useEffect(() => {
    if (!isWanted) return
    let isStill = true
    loadPicker().then(
      (picker) => isStill && setLoaded(picker),
      (error: unknown) => {
        logProblem('The emoji picker could not be loaded', error)
        if (isStill) latest.current()
      },
    )
    return () => {
      isStill = false
    }
  }, [isWanted, latest])
  return isWanted ? loaded : undefined
}

interface LoadedPicker {
  Picker: ComponentType<EmojiPickerProps>
  data: EmojiData
}

/** Loads the picker and all emoji on first use; from then on they work offline. */
export async function loadPicker(): Promise<LoadedPicker> {
  const [{ EmojiPicker }, data] = await Promise.all([import('./emoji-picker.tsx'), loadEmojiData()])
  return { Picker: EmojiPicker, data }
}
