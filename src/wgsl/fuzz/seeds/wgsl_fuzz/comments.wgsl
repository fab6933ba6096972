/* outer /* inner */ still */ // line
diagnostic(off, derivative_uniformity); requires readonly_and_readwrite_storage_textures;
@diagnostic(warning, a.b) fn Δέλτα(朝焼け: i32) -> i32 { /**/ return 朝焼け--1; }
