import { ShortcutList } from '../../settings/shortcut-list.tsx'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <ShortcutList />
      <Button onClick={onClose}>Close</Button>
    </Dialog>
  )
}
