import { type FileKeeping, fileKeepings } from '../../database/files/file-budget.ts'
import type { RadioChoiceProps } from '../../settings/radio-choice.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const names: Record<FileKeeping, string> = {
  auto: 'Automatic',
  little: '200 MB',
  more: '1 GB',
  all: 'Everything',
}

/** How much of the files stays on this device; other devices have their own choice. */
export function useKeepingChoice(): RadioChoiceProps {
  const { keeping } = useMessenger().files
  return {
    legend: 'Keep files on this device',
    options: fileKeepings.map((value) => ({ value, name: names[value] })),
    value: useLiveValue(keeping.choice),
    note: "Automatic is a quarter of the free space, 2 GB at most. Beyond the limit, and when space runs low, the files you haven't opened for longest are removed. For this device only.",
    onChoose(value) {
      const chosen = fileKeepings.find((each) => each === value)
      if (chosen) keeping.choose(chosen)
    },
  }
}
